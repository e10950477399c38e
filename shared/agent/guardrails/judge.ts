import type { Session } from '../session.ts';
import type { AnyGuard, Halt, Hook, Slice, Slices, Spoken, Stages, Verdict, Warn } from './guard.ts';

/** What the guards made of one stage. */
export interface Judgement<V> {
  /** The session with every guard's next state. */
  readonly session: Session;
  /** The strongest verdict; among equals the first in order. */
  readonly verdict: (V & { readonly guard: string }) | undefined;
  /** All verdicts, for the journal. */
  readonly spoken: readonly Spoken[];
}

const strength: Record<Verdict['kind'], number> = {
  flag: 1,
  nudge: 2,
  warn: 3,
  block: 4,
  skip_calls: 4,
  text_only: 4,
  halt: 5,
};

/** A completion goes on or ends by its verdict, and a warning decides neither: it takes no other's nudge away. */
const strengthOf = (stage: keyof Stages, { kind }: Verdict): number =>
  stage === 'complete' && kind === 'warn' ? 0 : strength[kind];

/**
 * Asks every guard that has a hook at `stage`. All see the same observation; the strongest verdict wins
 * (allow < nudge < warn < block < halt; of a completion allow < warn < nudge < halt), ties by order, all are journaled
 * (loop-spec.md section 7, rule 1).
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
    const said = ask(guard, stage, sliceOf(guard, session.metadata.guardrails), observed);
    if (said?.state) slices[guard.name] = said.state;
    if (said?.verdict?.kind === 'halt' && guard.forgetsOnHalt) delete slices[guard.name];
    if (said?.verdict) spoken.push({ ...said.verdict, guard: guard.name });
  }
  const verdict = strongest(stage, spoken);
  if (stage === 'complete')
    forgetUnsaid(slices, session.metadata.guardrails, spoken as Spoken[], verdict?.guard);
  const journal = stage === 'batch' ? firstNudge(spoken as Spoken[]) : (spoken as Spoken[]);
  return { session: { ...session, metadata: { guardrails: slices } }, verdict, spoken: journal };
}

/** One nudge of a step is for the model; the journal says so of the others (loop-spec.md section 7, rule 3). */
function firstNudge(spoken: readonly Spoken[]): Spoken[] {
  const first = spoken.findIndex(({ kind }) => kind === 'nudge');
  return spoken.map((verdict, i) =>
    verdict.kind === 'nudge' && i !== first ? { ...verdict, unsaid: true } : verdict,
  );
}

/**
 * A guard that throws is broken, and a broken guard guards nothing: the run ends, saying which. Where a stage cannot
 * end the run it warns, or says nothing. Thrown on, it would end every attempt alike, also the one that is to give up.
 */
function ask<Stage extends keyof Stages>(
  guard: AnyGuard,
  stage: Stage,
  slice: Slice,
  observed: Stages[Stage]['seen'],
): ReturnType<Hook<Slice, Stage>> {
  try {
    return guard.hooks[stage]?.(slice, observed);
  } catch (error) {
    const message = `The guard ${guard.name} is broken: ${whyOf(error)}`;
    const verdict = onThrow[stage](message);
    return verdict && { verdict };
  }
}

/** Operators read it in the log, and what cannot read a text quotes it. */
const whyOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof SyntaxError) ? error.message : 'it threw';

const halt = (message: string): Halt => ({
  kind: 'halt',
  state: 'error',
  reason: 'internal_error',
  code: 'guard_failed',
  message,
});
const warn = (message: string): Warn => ({ kind: 'warn', code: 'guard_failed', message });

const onThrow: { [Stage in keyof Stages]: (message: string) => Stages[Stage]['verdict'] | undefined } = {
  preflight: halt,
  inject: () => undefined,
  reply: halt,
  call: halt,
  result: warn,
  batch: warn,
  complete: halt,
};

/** Of a completion's nudges one reaches the model, by the order of H2: those that do not are not counted. */
function forgetUnsaid(
  slices: Record<string, Slice>,
  before: Slices,
  spoken: readonly Spoken[],
  said: string | undefined,
): void {
  for (const { kind, guard } of spoken) {
    if (kind !== 'nudge' || guard === said) continue;
    const slice = before[guard];
    if (slice) slices[guard] = slice;
    else delete slices[guard];
  }
}

/** The slices at the start of a run: what is scoped to runs and streaks starts afresh (U12). */
export function slicesForNewRun(guards: readonly AnyGuard[], slices: Slices): Slices {
  const fresh = new Set(guards.filter((guard) => guard.scope !== 'session').map((guard) => guard.name));
  return Object.fromEntries(Object.entries(slices).filter(([name]) => !fresh.has(name)));
}

/** The session when a person has said something in a run that was going (U12). */
export function afterMessage(guards: readonly AnyGuard[], session: Session): Session {
  const fresh = new Set(guards.filter((guard) => guard.scope === 'message').map((guard) => guard.name));
  const kept = Object.entries(session.metadata.guardrails).filter(([name]) => !fresh.has(name));
  return { ...session, metadata: { guardrails: Object.fromEntries(kept) } };
}

/** A guard's state with every missing key filled in, so that an old session never crashes a new deploy. */
export function sliceOf(guard: AnyGuard, slices: Slices): Slice {
  return { ...guard.initial, ...slices[guard.name] };
}

function strongest<V extends Verdict>(stage: keyof Stages, spoken: readonly (V & { guard: string })[]) {
  return spoken.reduce<(V & { guard: string }) | undefined>(
    (best, next) => (best && strengthOf(stage, best) >= strengthOf(stage, next) ? best : next),
    undefined,
  );
}
