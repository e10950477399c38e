/**
 * Failures before a reply, as the simulator counts them: those of the model and those of the tool source, separately.
 */

import { SKEW_MS } from './invariants/heads.ts';

/**
 * How a model call failed, or that the tool source, which is another service, could not list. Rate limits are counted
 * separately (A8). Permanent failures are not retried, and no outage: a run that outlives one has compacted its context, or
 * asks another model.
 */
export type CallFailure = 'rate_limit' | 'outage' | 'for_good' | 'unlisted';

/** Consecutive failures of one service, committed by a run, and the times of the first and the last. */
export interface Failures {
  readonly kinds: readonly CallFailure[];
  readonly since: number;
  readonly at: number;
}

export const noFailures: Failures = { kinds: [], since: 0, at: 0 };

const isOfSource = (kind: CallFailure | undefined): boolean => kind === 'unlisted';

/** The failures that count together with one of this kind: none if another service has failed meanwhile. */
export const failedBefore = (failures: Failures, kind: CallFailure): Failures =>
  isOfSource(failures.kinds.at(-1)) === isOfSource(kind) ? failures : noFailures;

export function withFailure(failures: Failures, kind: CallFailure, at: number): Failures {
  const { kinds, since } = failedBefore(failures, kind);
  return { kinds: [...kinds, kind], since: since === 0 ? at : since, at };
}

/**
 * A step that is held back with all others starts its count of rate limits over (A8). An outage continues, and the next
 * failure judges it.
 */
export const heldBack = ({ kinds, since }: Failures): Failures => ({
  kinds: kinds.filter((kind) => kind !== 'rate_limit'),
  since,
  at: since,
});

interface Limits {
  readonly maxRetries: number;
  readonly outageSeconds: number;
}

/** Each kind gives up at its own `maxRetries`th failure, once the time for which outages are outlasted is over. */
export function whyGiveUp({ kinds, since, at }: Failures, limits: Limits): string | undefined {
  const times = kinds.filter((kind) => kind === kinds.at(-1)).length;
  return times >= limits.maxRetries && at - since > limits.outageSeconds * 1000 + 2 * SKEW_MS
    ? `asked again after ${times} failures of one kind in ${at - since} ms`
    : undefined;
}
