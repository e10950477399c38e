import type { StepInfo } from '../../../client/index.ts';

/** A step's model cost, including lost attempts, in USD. */
const costOf = ({ costUsd = 0, lost }: StepInfo): number => costUsd + (lost?.costUsd ?? 0);

/**
 * The session's cost after each step, in USD. Pure.
 *
 * @param steps newest first
 * @param afterAll the cost after the newest
 */
export function costsSoFar(steps: readonly StepInfo[], afterAll: number): number[] {
  let after = afterAll;
  return steps.map((step) => {
    const here = Math.max(0, after);
    after -= costOf(step);
    return here;
  });
}

/**
 * Ms between the end of one step and the start of the next, if that starts another run; undefined if it is unknown, or
 * the same run.
 */
export function restBefore(step: StepInfo, before: StepInfo | undefined): number | undefined {
  if (!before || before.runId === step.runId || !step.startedAt) return undefined;
  const ended = endOf(before);
  return ended === undefined ? undefined : Math.max(0, Date.parse(step.startedAt) - ended);
}

/** Epoch ms at which a step ended, as far as it is known. */
export function endOf({ startedAt, toolsAt, times }: StepInfo): number | undefined {
  if (toolsAt !== undefined) return Date.parse(toolsAt) + (times.toolsMs ?? 0);
  if (startedAt === undefined) return undefined;
  return Date.parse(startedAt) + (times.claimMs ?? 0) + (times.prepareMs ?? 0) + (times.modelMs ?? 0);
}
