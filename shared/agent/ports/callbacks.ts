import type { SessionKey } from '../../contract/session.ts';
import type { ToolResult } from '../session/slots.ts';

/** Calls that are answered later, from outside (docs/adr/0018-answers-that-come-later.md). Only hashes of tokens come here. */
export interface LaterAnswers {
  /** The address for answering a call: the token in it authorizes the sender. Throws if the function does not know its API. */
  urlOf(token: string): string;
  /** Stores the call that a token is for, under the token's hash, for {@link KEPT_AFTER_MS} longer than the token is valid. Idempotent. */
  grant(hash: string, grant: CallbackToken): Promise<void>;
  /** The call that a token is for, strongly consistent. */
  granted(hash: string): Promise<CallbackToken | undefined>;
  /**
   * Settles the outcome of a call, once: of several the first one stands, and is returned. An answer and the end of its wait
   * meet only here.
   */
  settle(
    key: SessionKey,
    id: string,
    settled: Settled,
  ): Promise<{ readonly stands: Settled; readonly first: boolean }>;
  /**
   * Takes a settled call out of its session's waits, and makes the session due now; the caller that does it, or finds it done,
   * sends the wake. An owner that has not seen it cannot put the session to rest.
   */
  resolve(key: SessionKey, id: string, now: number): Promise<'resolved' | 'closed'>;
  /**
   * Counts a progress report on a call, by the hash of its token. It may be told once in {@link TOLD_EVERY_MS}, and
   * {@link MOST_TOLD} times for a token.
   */
  countTold(hash: string, now: number): Promise<'may' | 'too_soon' | 'too_many'>;
  /** The settled outcomes, by id; strongly consistent. */
  settled(key: SessionKey, ids: readonly string[]): Promise<Readonly<Record<string, Settled>>>;
}

/** The permission of a token's holder: to answer this one call, until then. */
export interface CallbackToken extends SessionKey {
  /** Number of the slot whose reply makes the call. */
  readonly slot: number;
  readonly callId: string;
  /** The tool. */
  readonly name: string;
  /** The id of its answer, and of the wait for it: bound to the session, the slot, the call and its arguments. */
  readonly id: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** The outcome of a call that is, or might have been, answered later. */
export interface Settled {
  readonly result: ToolResult;
  /** Hash of an answer from outside: the same one again is not a second answer. */
  readonly digest?: string;
}

/** Time in ms for which a late answer is told that it is too late. */
export const KEPT_AFTER_MS = 7 * 24 * 3_600_000;

/** Time in ms between two progress reports from outside on a call. */
export const TOLD_EVERY_MS = 1_000;

/** Progress reports of one token: one every five minutes of the longest wait. */
export const MOST_TOLD = 10_000;
