import type { SessionKey } from '../../contract/session.ts';
import type { ToolResult } from '../session/slots.ts';

/**
 * Calls that are answered later, from outside (docs/adr/0018-answers-that-come-later.md). Of tokens only hashes come here.
 */
export interface LaterAnswers {
  /** Where a call is answered: whoever posts there is who holds the token. Throws where the function does not know its API. */
  urlOf(token: string): string;
  /** Keeps what a token is for, under its hash, for {@link KEPT_AFTER_MS} longer than it is good. Idempotent. */
  grant(hash: string, grant: CallbackToken): Promise<void>;
  /** What a token is for, strongly consistent. */
  granted(hash: string): Promise<CallbackToken | undefined>;
  /**
   * Settles what a call comes to, once: of several the first one stands. Shows which one that is. Here, and nowhere else, an
   * answer and the end of its wait meet.
   */
  settle(
    key: SessionKey,
    id: string,
    settled: Settled,
  ): Promise<{ readonly stands: Settled; readonly first: boolean }>;
  /**
   * Takes a call that is settled out of its session's waits, and makes the session due now; whoever does it, or finds it done,
   * sends the wake. An owner that has not seen it cannot lay the session to rest.
   */
  resolve(key: SessionKey, id: string, now: number): Promise<'resolved' | 'closed'>;
  /**
   * Counts a word on how far a call is, by the hash of its token: `may` it be told? One in {@link TOLD_EVERY_MS} may, and
   * {@link MOST_TOLD} of a token.
   */
  countTold(hash: string, now: number): Promise<'may' | 'too_soon' | 'too_many'>;
  /** What stands, by id; strongly consistent. */
  settled(key: SessionKey, ids: readonly string[]): Promise<Readonly<Record<string, Settled>>>;
}

/** What the holder of a token may do: answer this one call, until then. */
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

/** What a call has come to that is, or might have been, answered later. */
export interface Settled {
  readonly result: ToolResult;
  /** Hash of what was sent, when it has come from outside: the same again is no second answer. */
  readonly digest?: string;
}

/** Time in ms for which whoever answers too late is told so. */
export const KEPT_AFTER_MS = 7 * 24 * 3_600_000;

/** Time in ms between two words from outside on how far a call is. */
export const TOLD_EVERY_MS = 1_000;

/** Words of one token on how far its call is: one in five minutes of the longest wait. */
export const MOST_TOLD = 10_000;
