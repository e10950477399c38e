import type { EndedFor } from '../../../contract/days.ts';
import { toStepInfo } from '../../events/steps.ts';
import { firstSlotOf } from '../../session/run-ids.ts';
import type { Session } from '../../session/session.ts';
import { isIn, type Span } from './span.ts';
import type { TimedStep } from './steps-since.ts';

/** A run that ended on a day. */
export interface EndedRun {
  readonly reason: EndedFor;
  /** Ms without waits for people; absent if it is not known. */
  readonly ms?: number;
}

/** The steps that are known of a run. */
export interface RunSteps {
  readonly last: TimedStep;
  readonly first: TimedStep;
  /** Ms in which people had to decide, or calls were queued. */
  readonly waitMs: number;
}

/** The steps of runs, by the run's id. @param steps newest first */
export function addStep(runs: Map<string, RunSteps>, step: TimedStep): void {
  const known = runs.get(step.asked.runId);
  const waitMs = (known?.waitMs ?? 0) + (toStepInfo(step).times.waitMs ?? 0);
  runs.set(step.asked.runId, { last: known?.last ?? step, first: step, waitMs });
}

/** The end of the session's last run, if it was on this day. */
export function lastRunIn({ run, lastEnding }: Session, span: Span): readonly EndedRun[] {
  if (!run?.ended || !lastEnding || !isIn(span, lastEnding.at)) return [];
  return [{ reason: lastEnding.reason, ms: Math.max(0, lastEnding.at - run.startedAt - run.pausedMs) }];
}

/**
 * The ends of runs that another run of the session followed. Such a run counts on the day of its last step: when it ended is not
 * stored.
 */
export function earlierRunsIn(
  runs: ReadonlyMap<string, RunSteps>,
  { run }: Session,
  span: Span,
): readonly EndedRun[] {
  return [...runs].flatMap(([id, { last, first, waitMs }]) => {
    if (id === run?.id || !isIn(span, last.at)) return [];
    const isWhole = first.asked.n <= firstSlotOf(id);
    const ms = Math.max(0, endOf(last) - first.at - waitMs);
    return [{ reason: reasonOf(last), ...(isWhole && { ms }) }];
  });
}

/** When a step's work was over, in epoch ms. */
function endOf(step: TimedStep): number {
  const { claimMs = 0, prepareMs = 0, modelMs = 0, waitMs = 0, toolsMs = 0 } = toStepInfo(step).times;
  return step.at + claimMs + prepareMs + modelMs + waitMs + toolsMs;
}

/** The reason that the last step of a run shows: a guard's, or that of a reply without calls. */
function reasonOf({ asked, ran }: TimedStep): EndedFor {
  const verdicts = [...asked.verdicts, ...(ran?.verdicts ?? [])].filter(({ unsaid }) => !unsaid);
  const halt = verdicts.findLast((verdict) => verdict.kind === 'halt');
  if (halt) return halt.reason;
  const flag = verdicts.findLast((verdict) => verdict.kind === 'flag');
  if (flag) return flag.reason;
  return asked.reply?.stop === 'end_turn' && !ran ? 'completed' : 'unknown';
}
