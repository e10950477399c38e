import { fromNano, toNano } from '../../contract/money.ts';

/**
 * When a step came, and what came before its model call: kept in its slot, for people (`GET /sessions/{sessionId}/steps`). Nothing goes by it, and no
 * model reads it.
 */
export interface Timing {
  /** When the session was claimed: epoch ms, by the clock of the worker. */
  readonly startedAt: number;
  /** Ms until the session was claimed and loaded. */
  readonly claimMs: number;
  /** Ms for which the message had been there, and the session due. Of a later attempt that counts the ones before. Absent when it is not known. */
  readonly queueMs?: number;
  /** Ms from when the step before began its commit to when it sent this one's message. Absent where another message came first. */
  readonly commitMs?: number;
  /** Ms from `startedAt` until the model was asked. */
  readonly askedMs?: number;
  /** Ms from then until the model's first word. */
  readonly firstTokenMs?: number;
  /** USD that infrastructure had cost the session before; absent when it had cost none. */
  readonly infraUsd?: number;
  /** Above 1, workers have died at it before. Absent when it is the first. */
  readonly attempt?: number;
  /** Tries that came to nothing since the last reply; absent when there were none. */
  readonly retries?: number;
}

/**
 * A {@link Timing} as a slot keeps it: its whole numbers (dollars in billionths) in base 36, in this order, with nothing in place of what is
 * absent. It is some 30 bytes, since a slot that becomes larger costs a write unit in a thousand bytes.
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
    ...(queueMs !== undefined && { queueMs }),
    ...(commitMs !== undefined && { commitMs }),
    ...(askedMs !== undefined && { askedMs }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(nano !== undefined && { infraUsd: fromNano(nano) }),
    ...(attempt !== undefined && { attempt }),
    ...(retries !== undefined && { retries }),
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
