import type { CallStart, Decision } from '../session/waits.ts';

/** The part of HEAD that others write while a step runs. */
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
  /** Unsafe calls that have started since the last commit. */
  readonly intents: readonly string[];
  readonly subscribers: readonly string[];
  /** Waits of the open batch that nobody has resolved. */
  readonly pending: readonly string[];
  /** What people have decided, by wait. */
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Queued calls that have started, by wait. */
  readonly started: Readonly<Record<string, CallStart>>;
  /** Grants that were taken back, while something that is committed still names them. No session that is read has one of these. */
  readonly revoked: readonly string[];
}
