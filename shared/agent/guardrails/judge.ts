import type { Session } from '../session.ts';
import type { AnyGuard, Slice, Slices, Spoken, Stages, Verdict } from './guard.ts';

/** What the guards made of one stage. */
export interface Judgement<V> {
  /** The session with every guard's next state. */
  readonly session: Session;
  /** The strongest verdict; among equals the first in order. */
  readonly verdict: (V & { readonly guard: string }) | undefined;
  /** All verdicts, for the journal. */
  readonly spoken: readonly Spoken[];
}

const strength: Record<Verdict['kind'], number> = { flag: 1, nudge: 2, warn: 3, block: 4, halt: 5 };

/**
 * Asks every guard that has a hook at `stage`. All see the same observation; the strongest verdict wins
 * (allow < nudge < warn < block < halt), ties by order, all are journaled (loop-spec.md section 7, rule 1).
 */
export function judge<Stage extends keyof Stages>(
  guards: readonly AnyGuard[],
  stage: Stage,
  session: Session,
  seen: Omit<Stages[Stage]['seen'], 'session'>,
): Judgement<Stages[Stage]['verdict']> {
  const slices: Record<string, Slice> = { ...session.metadata.guardrails };
  const spoken: (Stages[Stage]['verdict'] & { guard: string })[] = [];
  const observed = { ...seen, session } as Stages[Stage]['seen'];

  for (const guard of guards) {
    const said = guard.hooks[stage]?.(sliceOf(guard, session.metadata.guardrails), observed);
    if (said?.state) slices[guard.name] = said.state;
    if (said?.verdict) spoken.push({ ...said.verdict, guard: guard.name });
  }
  return {
    session: { ...session, metadata: { guardrails: slices } },
    verdict: strongest(spoken),
    spoken: spoken as Spoken[],
  };
}

/** The slices at the start of a run: what is scoped to runs and streaks starts afresh (U12). */
export function slicesForNewRun(guards: readonly AnyGuard[], slices: Slices): Slices {
  const fresh = new Set(guards.filter((guard) => guard.scope !== 'session').map((guard) => guard.name));
  return Object.fromEntries(Object.entries(slices).filter(([name]) => !fresh.has(name)));
}

/** A guard's state with every missing key filled in, so that an old session never crashes a new deploy. */
function sliceOf(guard: AnyGuard, slices: Slices): Slice {
  return { ...guard.initial, ...slices[guard.name] };
}

function strongest<V extends Verdict>(spoken: readonly (V & { guard: string })[]) {
  return spoken.reduce<(V & { guard: string }) | undefined>(
    (best, next) => (best && strength[best.kind] >= strength[next.kind] ? best : next),
    undefined,
  );
}
