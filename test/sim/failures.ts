/** What fails before a reply, as the simulator counts it: the model, and the source of tools, each for itself. */

import { SKEW_MS } from './invariants/heads.ts';

/**
 * How a model call failed, or that the source of tools could not list: another service. Rate limits are counted apart (A8),
 * and what is for good is not tried again.
 */
export type CallFailure = 'rate_limit' | 'outage' | 'for_good' | 'unlisted';

/** Failures in a row of one service, committed by a run; and when the first and the last of them were. */
export interface Failures {
  readonly kinds: readonly CallFailure[];
  readonly since: number;
  readonly at: number;
}

export const noFailures: Failures = { kinds: [], since: 0, at: 0 };

const isOfSource = (kind: CallFailure | undefined): boolean => kind === 'unlisted';

/** Those that count together with one of this kind: none, when another service has failed meanwhile. */
export const failedBefore = (failures: Failures, kind: CallFailure): Failures =>
  isOfSource(failures.kinds.at(-1)) === isOfSource(kind) ? failures : noFailures;

export function withFailure(failures: Failures, kind: CallFailure, at: number): Failures {
  const { kinds, since } = failedBefore(failures, kind);
  return { kinds: [...kinds, kind], since: since === 0 ? at : since, at };
}

/** Who is held back with all others counts its rate limits anew (A8). An outage goes on, and is judged by the next failure. */
export const heldBack = ({ kinds, since }: Failures): Failures => ({
  kinds: kinds.filter((kind) => kind !== 'rate_limit'),
  since,
  at: since,
});

interface Limits {
  readonly maxRetries: number;
  readonly outageSeconds: number;
}

/** Each kind gives up at its own `maxRetries`th, when the time is over for which an outage is outlasted. */
export function whyGiveUp({ kinds, since, at }: Failures, limits: Limits): string | undefined {
  const times = kinds.filter((kind) => kind === kinds.at(-1)).length;
  return times >= limits.maxRetries && at - since > limits.outageSeconds * 1000 + 2 * SKEW_MS
    ? `asked again after ${times} failures of one kind in ${at - since} ms`
    : undefined;
}
