import { own } from '../plain/merge.ts';
import { withoutSecrets } from '../plain/redact.ts';
import type { Session } from '../session/session.ts';
import type { Halt, Slice, Slices, Spoken, Verdict, Warn } from '../session/verdict.ts';
import type { AnyGuard, Hook, Respite, Stages } from './guard.ts';
import type { SaidOfAny } from './guard-codes.ts';

/** The judgement of the guards at one stage. */
export interface Judgement<V> {
  /** The session with every guard's next state. */
  readonly session: Session;
  /** The strongest verdict; the first in order among equals. */
  readonly verdict: (V & { readonly guard: string }) | undefined;
  /** All verdicts, for the journal. */
  readonly spoken: readonly Spoken[];
  /** For each guard that nudges: its state if the model is not told the nudge after all. */
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

/** Only other verdicts decide whether a completion goes on or ends. A warning does not, so it must not displace a nudge. */
const strengthOf = (stage: keyof Stages, { kind }: Verdict): number =>
  stage === 'complete' && kind === 'warn' ? 0 : strength[kind];

/**
 * Asks every guard that has a hook at `stage`. All see the same observation. The strongest verdict wins (allow < nudge < warn <
 * block < halt; for a completion allow < warn < nudge < halt), ties go by order, and all are journaled (docs/guards.md, "Rules").
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
    const { name, hooks } = guard;
    if (!hooks[stage]) continue;
    const heard = ask(guard, stage, sliceOf(guard, before), observed);
    if (heard?.state) slices[name] = heard.state;
    if (heard?.verdict?.kind === 'halt' && guard.forgetsOnHalt) delete slices[name];
    if (heard?.verdict?.kind === 'nudge') unsaid[name] = heard.unsaid ?? own(before, name);
    if (heard?.verdict) spoken.push({ ...heard.verdict, guard: name });
  }
  const all = spoken as Spoken[];
  const decided = strongest(stage, spoken.filter(decides));
  const yields = decided?.kind === 'nudge' && decided.yields;
  const other = yields ? all.find((one) => !decides(one)) : undefined;
  const told = stage === 'complete' ? [decided, other] : toldOf(all, hasRoom(session, seen));
  const journal = all.flatMap((one) => {
    if (one.kind !== 'nudge' || told.includes(one)) return one;
    const slice = own(unsaid, one.guard);
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

/** A nudge that only replaces another one's words sends nothing back by itself. */
const decides = (verdict: Verdict): boolean => verdict.kind !== 'nudge' || !verdict.instead;

/** Whether the next request has room for a piece of advice: it has none yet, and is not about the end. */
function hasRoom({ nudges }: Session, seen: object): boolean {
  const { textOnly = false, ends = false } = seen as { textOnly?: boolean; ends?: boolean };
  return nudges.length === 0 && !textOnly && !ends;
}

/** The nudges that the model is told: those that may stand beside advice, and one piece of advice if there is room. */
function toldOf(spoken: readonly Spoken[], room: boolean): unknown[] {
  const nudges = spoken.filter((one) => one.kind === 'nudge');
  const advice = nudges.filter(({ beside }) => !beside);
  const one = advice.find(({ again }) => !again) ?? advice[0];
  return [...nudges.filter(({ beside }) => beside), ...(room ? [one] : [])];
}

/**
 * A guard that throws is broken, and a broken guard guards nothing: the run ends, and says which guard it was. At a stage that
 * cannot end the run the guard warns, or says nothing. If the error were thrown on, it would end every attempt in the same way,
 * including the one that should give up.
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

/** The message goes to the log for operators. A `SyntaxError` is left out, because parsers quote the text that they cannot read. */
const whyOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof SyntaxError) ? withoutSecrets(error.message) : 'it threw';

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

/** The slices at the start of a run: state with the scope of runs and streaks starts afresh. */
export function slicesForNewRun(guards: readonly AnyGuard[], slices: Slices): Slices {
  const fresh = new Set(guards.filter((guard) => guard.scope !== 'session').map((guard) => guard.name));
  return Object.fromEntries(Object.entries(slices).filter(([name]) => !fresh.has(name)));
}

/** The session after a person has written in a running run. */
export function afterMessage(guards: readonly AnyGuard[], session: Session): Session {
  const fresh = new Set(guards.filter((guard) => guard.scope === 'message').map((guard) => guard.name));
  const kept = Object.entries(session.metadata.guardrails).filter(([name]) => !fresh.has(name));
  return { ...session, metadata: { guardrails: Object.fromEntries(kept) } };
}

/** The first respite that a guard has granted to the run, and the guard's name. */
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
  return { ...guard.initial, ...own(slices, guard.name) };
}

function strongest<V extends Verdict>(stage: keyof Stages, spoken: readonly (V & { guard: string })[]) {
  return spoken.reduce<(V & { guard: string }) | undefined>(
    (best, next) => (best && strengthOf(stage, best) >= strengthOf(stage, next) ? best : next),
    undefined,
  );
}
