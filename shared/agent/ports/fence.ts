import type { Known } from '../session/known.ts';
import type { CallStart, Decision } from '../session/waits.ts';

/** The part of HEAD that other processes write while a step runs. */
export interface Fence {
  readonly epoch: number;
  readonly cancelGen: number;
  readonly inboxSeq: number;
  /** Accepted and not yet incorporated. */
  readonly inbox: readonly string[];
  /** More events wait for room in the inbox: {@link InboxStore.refill}. */
  readonly overflow: boolean;
  /** Incorporated by the last commits and not yet marked done. */
  readonly consumed: readonly string[];
  /** Marked done not long ago, and when the last of them was: {@link knownAfter}. */
  readonly known?: Known;
  /** Unsafe calls that have started since the last commit. */
  readonly intents: readonly string[];
  readonly subscribers: readonly string[];
  /** Waits of the open batch that are unresolved. */
  readonly pending: readonly string[];
  /** Decisions of people, by wait. */
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Queued calls that have started, by wait. */
  readonly started: Readonly<Record<string, CallStart>>;
  /** Revoked grants, while committed state still names them. A session that is read has none of these. */
  readonly revoked: readonly string[];
}
