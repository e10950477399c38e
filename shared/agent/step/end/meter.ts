import type { AgUiEvent } from '../../../contract/events.ts';
import { subtractUsd } from '../../../contract/money.ts';
import type { Totals } from '../../../contract/session.ts';
import { defined } from '../../plain/defined.ts';
import type { Meter, StepReport, StepTrace } from '../../ports/meter.ts';
import { modelAt, type Pinned } from '../../session/pinned.ts';
import { type Run, runOf, type Session } from '../../session/session.ts';
import type { Spoken } from '../../session/verdict.ts';
import type { Next } from '../../session/wake.ts';
import type { Draft } from '../draft.ts';
import type { Step } from '../open/step-context.ts';
import { guardStats } from './stats.ts';

/** Counts the verdicts of guards in a committed step, by name and code, never with a text. */
export function measure(meter: Meter, agent: string, spoken: readonly Spoken[]): void {
  for (const { guard, kind, code } of spoken) meter.verdict({ agent, guard, action: kind, code });
}

/** The report of a step: the difference that it made to its session. Pure. */
export function reportOf(
  { loaded, session: opened }: Pick<Step, 'loaded' | 'session'>,
  { toolsMs = 0, events }: Draft,
  after: Session,
  next: Next,
  now: number,
): StepReport {
  const [was, is] = [runOf(opened), runOf(after)];
  const { input, output, cacheRead, cacheWrite, costUsd, infraUsd } = ownOf(is);
  const before = ownOf(was);
  const failure = is.ended ? undefined : failureIn(events);
  const folded = foldedIn(events);
  return {
    key: after.key,
    agent: after.agent,
    run: is.id,
    step: is.steps,
    attempt: loaded.view.attempts,
    model: modelAt(loaded.pinned, was.fallback).model,
    modelMs: Math.max(0, is.activeMs - was.activeMs - toolsMs),
    toolsMs,
    toolCalls: is.toolCalls - was.toolCalls,
    usage: {
      input: input - before.input,
      output: output - before.output,
      cacheRead: cacheRead - before.cacheRead,
      cacheWrite: cacheWrite - before.cacheWrite,
    },
    costUsd: subtractUsd(costUsd, before.costUsd),
    ...(infraUsd !== undefined && { infraUsd: subtractUsd(infraUsd, before.infraUsd ?? 0) }),
    ending: is.ended ? 'ended' : next.kind === 'run' ? 'continues' : 'waits',
    ...defined({ folded, failure }),
    ...(next.kind === 'run' && next.dueAt > now && { delayMs: next.dueAt - now }),
    ...(is.ended && after.lastEnding && { ended: after.lastEnding }),
    counted: countedIn(opened, after, loaded.pinned),
    ...(is.ended && { activeSeconds: guardStats(after, loaded.pinned).turnElapsedSeconds }),
  };
}

/** The run's own use: children report theirs. */
function ownOf({ totals, delegated }: Run): Totals {
  if (!delegated) return totals;
  const { infraUsd } = totals;
  return {
    input: totals.input - delegated.input,
    output: totals.output - delegated.output,
    cacheRead: totals.cacheRead - delegated.cacheRead,
    cacheWrite: totals.cacheWrite - delegated.cacheWrite,
    costUsd: subtractUsd(totals.costUsd, delegated.costUsd),
    ...(infraUsd !== undefined && { infraUsd: subtractUsd(infraUsd, delegated.infraUsd ?? 0) }),
  };
}

/** A trace of a step, if a port asks for one. */
export const traceOf =
  (
    {
      session: before,
      loaded,
      history,
      kept: slots,
      times,
    }: Pick<Step, 'session' | 'loaded' | 'history' | 'kept' | 'times'>,
    after: Session,
    said: readonly Spoken[],
    at: number,
  ): (() => StepTrace) =>
  () => ({
    before,
    after: { ...after, run: runOf(after) },
    pinned: loaded.pinned,
    model: modelAt(loaded.pinned, runOf(before).fallback),
    ...{ history, slots, said, times, at },
  });

/** The difference that a step made to the loop guards' counters, which a message or a new run may have reset. */
function countedIn(before: Session, after: Session, pinned: Pinned): StepReport['counted'] {
  const [was, is] = [guardStats(before, pinned), guardStats(after, pinned)];
  const more = (old: number, now: number) => (now >= old ? now - old : now);
  return {
    calls: more(was.totals.calls, is.totals.calls),
    successes: more(was.successes, is.successes),
    failures: more(was.failures, is.failures),
  };
}

const foldedIn = (events: readonly AgUiEvent[]): StepReport['folded'] =>
  events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.folded' ? event.value.why : [],
  )[0];

/** The code of a model call that failed and is tried again. */
const failureIn = (events: readonly AgUiEvent[]): string | undefined =>
  events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.retry' ? event.value.code : [],
  )[0];
