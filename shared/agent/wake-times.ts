import { MAX_DELAY_MS, type Next } from './ports.ts';

/** When a session wants its next wake, as HEAD keeps it. What it does not name is absent. */
export interface WakeTimes {
  /** Epoch ms at which it may be claimed. */
  readonly dueAt?: number;
  /** When the sweeper looks: also while it waits for people, and is not due. */
  readonly sweepAt?: number;
  /** `sweepAt` while it is due: an event that makes it due again must not leave the sweeper to a far expiry. */
  readonly backstopAt?: number;
}

/** The times of a session that wants its next wake then. */
export function timesOf(next: Next, now: number): WakeTimes {
  switch (next.kind) {
    case 'run': {
      const sweepAt = sweepAtFor(next.dueAt, now);
      return { dueAt: next.dueAt, sweepAt, backstopAt: sweepAt };
    }
    case 'wait_for_calls': {
      const sweepAt = nextMinute(next.until);
      return { dueAt: next.until, sweepAt, backstopAt: sweepAt };
    }
    case 'wait_for_people':
      return { sweepAt: next.until };
    case 'rest':
      return {};
    default:
      return next satisfies never;
  }
}

const FIVE_MINUTES = 300_000;

/**
 * When the sweeper looks at a session that is due at `dueAt`. A near moment has its own wake on the queue, so
 * the sweeper waits five to ten minutes longer; the value is coarse so that few commits change it, and with it
 * the index. A far moment has only the sweeper: the next minute after it.
 */
export function sweepAtFor(dueAt: number, now: number): number {
  if (dueAt - now > MAX_DELAY_MS) return nextMinute(dueAt);
  return (Math.floor(dueAt / FIVE_MINUTES) + 2) * FIVE_MINUTES;
}

/** Time in ms until a session that stays overdue is woken again: its wake may only stand in a long queue. */
export const AGAIN_MS = 5 * 60_000;

/** When the sweeper looks at a session that waits until then, without a message on the queue. */
const nextMinute = (at: number): number => Math.ceil(at / 60_000) * 60_000;
