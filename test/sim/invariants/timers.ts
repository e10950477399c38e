/** Invariant 48: a run that rests until a moment goes on then, or when something comes in, and not before. */

import type { Checks } from '../ledger.ts';
import { SKEW_MS } from './heads.ts';

/** A call whose result is committed, and that has rested. */
export interface Rested {
  readonly callId: string;
  /** Epoch ms of its moments: one for each time that it ran. */
  readonly moments: readonly number[];
  readonly outcome: string;
  readonly content: string;
  /** Events in the inbox that the commit found. */
  readonly inbox: readonly string[];
  readonly now: number;
}

export const timerChecks: Checks<Rested> = {
  '50 a timer is not over before its time': ({ callId, moments, content, now }) => {
    const left = Math.min(...moments) - now;
    return content.startsWith('The wait is over') && left > SKEW_MS
      ? `${callId} is over ${left} ms early`
      : undefined;
  },

  '50 a timer ends early only for what comes in': ({ callId, content, inbox }) =>
    content.startsWith('The wait has ended early') && inbox.length === 0
      ? `${callId} has ended for nothing`
      : undefined,
};
