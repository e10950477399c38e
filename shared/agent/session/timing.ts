import { fromNano, toNano } from '../../contract/money.ts';
import { defined } from '../plain/defined.ts';

/**
 * The times of a step until its model call: stored in its slot, for people (`GET /sessions/{sessionId}/steps`). No code depends
 * on them, and no model reads them.
 */
export interface Timing {
  /** When the session was claimed: epoch ms, by the clock of the worker. */
  readonly startedAt: number;
  /** Ms until the session was claimed and loaded. */
  readonly claimMs: number;
  /**
   * Ms for which the message had been there and the session due. For a later attempt this includes the earlier ones. Absent if
   * it is not known.
   */
  readonly queueMs?: number;
  /** Ms from the beginning of the previous step's commit until it sent this step's message. Absent if another message came first. */
  readonly commitMs?: number;
  /** Ms from `startedAt` until the model was asked. */
  readonly askedMs?: number;
  /** Ms from then until the model's first output. */
  readonly firstTokenMs?: number;
  /** USD that infrastructure had cost the session before; absent if there was no such cost. */
  readonly infraUsd?: number;
  /** Above 1 if workers have died at it before. Absent for the first. */
  readonly attempt?: number;
  /** Failed tries since the last reply; absent if there were none. */
  readonly retries?: number;
}

/**
 * A {@link Timing} as a slot stores it: its whole numbers (dollars in billionths) in base 36, in this order, with nothing in
 * place of absent ones. It has some 30 bytes, since a larger slot costs a write unit for every thousand bytes.
 */
export type StoredTiming = string;

export function storedTiming(timing: Timing): StoredTiming {
  const { startedAt, claimMs, queueMs, commitMs, askedMs, firstTokenMs, infraUsd, attempt, retries } = timing;
  const nano = infraUsd === undefined ? undefined : toNano(infraUsd);
  const all = [startedAt, claimMs, queueMs, commitMs, askedMs, firstTokenMs, nano, attempt, retries];
  return inBase36(all);
}

export function timingIn(stored: StoredTiming): Timing {
  const [startedAt = 0, claimMs = 0, queueMs, commitMs, askedMs, firstTokenMs, nano, attempt, retries] =
    fromBase36(stored);
  return {
    startedAt,
    claimMs,
    ...defined({ queueMs, commitMs, askedMs, firstTokenMs }),
    ...(nano !== undefined && { infraUsd: fromNano(nano) }),
    ...defined({ attempt, retries }),
  };
}

/** When a batch of calls was run: epoch ms, and ms until the last of them was over. */
export interface BatchTiming {
  readonly startedAt: number;
  readonly ms: number;
}

/** As {@link storedTiming}. */
export const storedBatchTiming = ({ startedAt, ms }: BatchTiming): StoredTiming => inBase36([startedAt, ms]);

export function batchTimingIn(stored: StoredTiming): BatchTiming {
  const [startedAt = 0, ms = 0] = fromBase36(stored);
  return { startedAt, ms };
}

const inBase36 = (numbers: readonly (number | undefined)[]): string =>
  numbers
    .map((n) => (n === undefined ? '' : Math.max(0, Math.round(n)).toString(36)))
    .join('.')
    .replace(/\.+$/, '');

const fromBase36 = (text: string): (number | undefined)[] =>
  text.split('.').map((digits) => (digits === '' ? undefined : Number.parseInt(digits, 36)));
