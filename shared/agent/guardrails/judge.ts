import type { Session } from '../session/session.ts';
import type { Halt, Slice, Slices, Spoken, Verdict, Warn } from '../session/verdict.ts';
import type { AnyGuard, Hook, Respite, Stages } from './guard.ts';
import type { SaidOfAny } from './guard-codes.ts';

/** What the guards made of one stage. */
export interface Judgement<V> {
  /** The session with every guard's next state. */
  readonly session: Session;
  /** The strongest verdict; among equals the first in order. */
  readonly verdict: (V & { readonly guard: string }) | undefined;
  /** All verdicts, for the journal. */
  readonly spoken: readonly Spoken[];
  /** By guard, for those that nudge: the state of one whose nudge the model is not told after all. */
  readonly untold: { readonly [guard: string]: Slice | undefined };
}

const strength: Record<Verdict['kind'], number> = {
  allow: 0,
  check: 0,
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
 * (docs/guards.md, "Rules").
 */
export function judge<Stage extends keyof Stages>(
  guards: readonly AnyGuard[],
  stage: Stage,
  session: Session,
  seen: Omit<Stages[Stage]['seen'], 'session'>,
): Judgement<Stages[Stage]['verdict']> {
  const before = session.metadata.guardrails;
  const slices: Record<string, Slice> = { ...before };
  const unsaid: Record<string, Slice | undefined> = {};
  const spoken: (Stages[Stage]['verdict'] & { guard: string })[] = [];
  const observed = { ...seen, session } as Stages[Stage]['seen'];

  for (const guard of guards) {
    const { name } = guard;
    const heard = ask(guard, stage, sliceOf(guard, before), observed);
    if (heard?.state) slices[name] = heard.state;
    if (heard?.verdict?.kind === 'halt' && guard.forgetsOnHalt) delete slices[name];
    if (heard?.verdict?.kind === 'nudge') unsaid[name] = heard.unsaid ?? before[name];
    if (heard?.verdict) spoken.push({ ...heard.verdict, guard: name });
  }
  const all = spoken as Spoken[];
  const decided = strongest(stage, spoken.filter(decides));
  const yields = decided?.kind === 'nudge' && decided.yields;
  const other = yields ? all.find((one) => !decides(one)) : undefined;
  const told = stage === 'complete' ? [decided, other] : toldOf(all, hasRoom(session, seen));
  const journal = all.flatMap((one) => {
    if (one.kind !== 'nudge' || told.includes(one)) return one;
    const slice = unsaid[one.guard];
    if (slice) slices[one.guard] = slice;
    else delete slices[one.guard];
    return decides(one) ? { ...one, unsaid: true } : [];
  });
  const verdict = decided && other?.kind === 'nudge' ? { ...decided, text: other.text } : decided;
  return {
    session: { ...session, metadata: { guardrails: slices } },
    verdict,
    spoken: journal,
    untold: unsaid,
  };
}

/** A nudge that only stands in for another one's words sends nothing back by itself. */
const decides = (verdict: Verdict): boolean => verdict.kind !== 'nudge' || !verdict.instead;

/** Whether the next request has room for a piece of advice: there is none in it, and it is not about the end. */
function hasRoom({ nudges }: Session, seen: object): boolean {
  const { textOnly = false, ends = false } = seen as { textOnly?: boolean; ends?: boolean };
  return nudges.length === 0 && !textOnly && !ends;
}

/** The nudges that the model is told: those that stand beside advice, and one piece of it where there is room. */
function toldOf(spoken: readonly Spoken[], room: boolean): unknown[] {
  const nudges = spoken.filter((one) => one.kind === 'nudge');
  const advice = nudges.filter(({ beside }) => !beside);
  const one = advice.find(({ again }) => !again) ?? advice[0];
  return [...nudges.filter(({ beside }) => beside), ...(room ? [one] : [])];
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
    return guard.hooks[stage]?.(slice, observed, guard.settings ?? {});
  } catch (error) {
    const message = `The guard ${guard.name} is broken: ${whyOf(error)}`;
    const verdict = onThrow[stage](message);
    return verdict && { verdict };
  }
}

/** Operators read it in the log, and what cannot read a text quotes it. */
const whyOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof SyntaxError) ? error.message : 'it threw';

const broken: keyof SaidOfAny = 'guard_failed';

const halt = (message: string): Halt => ({
  kind: 'halt',
  state: 'error',
  reason: 'internal_error',
  code: broken,
  message,
});
const warn = (message: string): Warn => ({ kind: 'warn', code: broken, message });

const onThrow: { [Stage in keyof Stages]: (message: string) => Stages[Stage]['verdict'] | undefined } = {
  preflight: halt,
  inject: () => undefined,
  reply: halt,
  call: halt,
  decided: () => undefined,
  result: warn,
  batch: warn,
  complete: halt,
};

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

/** The first respite that a guard has granted to the run, and which guard it was. */
export function respiteOf(
  guards: readonly AnyGuard[],
  { metadata }: Pick<Session, 'metadata'>,
): (Respite & { readonly guard: string }) | undefined {
  for (const guard of guards) {
    const respite = guard.respite?.(sliceOf(guard, metadata.guardrails));
    if (respite) return { ...respite, guard: guard.name };
  }
  return undefined;
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
