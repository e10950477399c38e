import type { Wake } from '../../contract/queue.ts';
import { type Session, tailStart } from './session.ts';
import type { Slot } from './slots.ts';

/** A wake for the session in its current state. */
export const wakeFor = (session: Session): Wake => {
  const { key, version, definition } = session;
  return { ...key, hint: { version, from: tailStart(session), definition } };
};

/** Characters of JSON of slots that a wake may carry: those of a plain session, between two packs. SQS bills 64 KB as one request. */
const MAX_RECENT = 32_000;

/**
 * A wake that carries the slots that its receiver would read.
 *
 * @param epoch the one that has committed the session
 * @param known slots of it, newer ones last: a wake carries them if they cover its whole tail and are small enough
 */
export function wakeWith(session: Session, epoch: number, known: readonly Slot[]): Wake {
  const wake = wakeFor(session);
  const from = tailStart(session);
  const byNumber = new Map(known.map((slot) => [slot.n, slot]));
  const slots = Array.from({ length: session.version - from }, (_, i) => byNumber.get(from + i));
  if (!slots.every((slot) => slot !== undefined) || JSON.stringify(slots).length > MAX_RECENT) return wake;
  return { ...wake, recent: { epoch, slots: slots.map((slot) => ({ ...slot })) } };
}

/** When a committed session needs its next wake. `rest` and `wait_for_people` are refused if an event has arrived unseen. */
export type Next =
  | { readonly kind: 'run'; readonly dueAt: number }
  /** The run is over: no wake before an event arrives. */
  | { readonly kind: 'rest' }
  /** People must decide: a wake when one has, when a message comes, or at `until` if there is no decision. */
  | { readonly kind: 'wait_for_people'; readonly until: number }
  /** Queued calls run: a wake when the last one has finished, or at `until` if some have not. A message waits with them. */
  | { readonly kind: 'wait_for_calls'; readonly until: number };

/** The longest delay of a queued wake; only the sweeper wakes what is due later. */
export const MAX_DELAY_MS = 900_000;

/** When a session needs its next wake, as HEAD stores it. Absent fields do not apply. */
export interface WakeTimes {
  /** Epoch ms at which it may be claimed. */
  readonly dueAt?: number;
  /** When the sweeper checks it, even while it waits for people and is not due. */
  readonly sweepAt?: number;
  /** `sweepAt` while it is due: an event that makes it due again must not leave the sweeper to a far expiry. */
  readonly backstopAt?: number;
}

/**
 * The times of a session with this next wake.
 *
 * @param phaseMs see {@link sweepAtFor}
 */
export function timesOf(next: Next, now: number, phaseMs?: number): WakeTimes {
  switch (next.kind) {
    case 'run': {
      const sweepAt = sweepAtFor(next.dueAt, now, phaseMs);
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

/** Granularity of the time at which the sweeper checks a running session, in ms. */
export const SWEEP_STEP_MS = 5 * 60_000;

/**
 * When the sweeper checks a session that is due at `dueAt`. A near time has its own wake on the queue, so the sweeper waits
 * five to ten minutes longer; the value is coarse so that few commits change it, and with it the index. A far time has only the
 * sweeper: the next minute after it.
 *
 * @param phaseMs shifts the times at which the value changes, so that not all sessions change theirs at once; below
 *   {@link SWEEP_STEP_MS}
 */
export function sweepAtFor(dueAt: number, now: number, phaseMs = 0): number {
  if (dueAt - now > MAX_DELAY_MS) return nextMinute(dueAt);
  return (Math.floor((dueAt - phaseMs) / SWEEP_STEP_MS) + 2) * SWEEP_STEP_MS + phaseMs;
}

/** Time in ms until a session that stays overdue is woken again: its wake may just be in a long queue. */
export const AGAIN_MS = 5 * 60_000;

/** When the sweeper checks a session that waits until then, without a message on the queue. */
const nextMinute = (at: number): number => Math.ceil(at / 60_000) * 60_000;
