/** Invariant 51: what a call has begun outside does not outlive a call that was given up. */

import type { Checks, Outside } from '../ledger.ts';

/** A call of a tool that can stop, with its result as it is committed. */
export interface EndedOutside {
  readonly callId: string;
  readonly outcome: string;
  readonly outside: Outside;
  /** Event number at which the committing owner has claimed the session. */
  readonly claimedAt: number;
}

const isStopped = ({ stopped }: Outside, at: number): boolean => stopped.some((event) => event >= at);

export const outsideChecks: Checks<EndedOutside> = {
  '53 what a call without a result has begun is stopped': ({ callId, outcome, outside, claimedAt }) => {
    if (outcome === 'ok' || outcome === 'error') return undefined;
    const goesOn = outside.begun.find((at) => at < claimedAt && !isStopped(outside, at));
    return goesOn === undefined
      ? undefined
      : `${callId} is ${outcome}, and its work of event ${goesOn} goes on`;
  },

  '53 what a call has begun is stopped if its run is': ({ callId, outcome, outside }) => {
    const goesOn = outcome === 'error' ? outside.aborted.find((at) => !isStopped(outside, at)) : undefined;
    return goesOn === undefined
      ? undefined
      : `${callId} was stopped, and its work of event ${goesOn} goes on`;
  },
};
