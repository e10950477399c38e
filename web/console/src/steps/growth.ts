import type { StepInfo } from '../../../client/index.ts';

/** What a step has cost for its model, with what was charged for nothing: USD. */
const costOf = ({ costUsd = 0, lost }: StepInfo): number => costUsd + (lost?.costUsd ?? 0);

/**
 * What the session had cost after each step, in USD. Pure.
 *
 * @param steps the newest first
 * @param afterAll what it had cost after the newest
 */
export function costsSoFar(steps: readonly StepInfo[], afterAll: number): number[] {
  let after = afterAll;
  return steps.map((step) => {
    const here = Math.max(0, after);
    after -= costOf(step);
    return here;
  });
}

/** Ms between the end of one step and the beginning of the next, where that begins another run; undefined where it is not known, or the same run. */
export function restBefore(step: StepInfo, before: StepInfo | undefined): number | undefined {
  if (!before || before.runId === step.runId || !step.startedAt) return undefined;
  const ended = endOf(before);
  return ended === undefined ? undefined : Math.max(0, Date.parse(step.startedAt) - ended);
}

/** Epoch ms at which a step was over, as far as it is known. */
function endOf({ startedAt, toolsAt, times }: StepInfo): number | undefined {
  if (toolsAt !== undefined) return Date.parse(toolsAt) + (times.toolsMs ?? 0);
  if (startedAt === undefined) return undefined;
  return Date.parse(startedAt) + (times.claimMs ?? 0) + (times.prepareMs ?? 0) + (times.modelMs ?? 0);
}
