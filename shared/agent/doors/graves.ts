import type { SessionKey } from '../../contract/session.ts';
import type { Fence } from '../ports/fence.ts';

/**
 * Time in ms for which a tombstone stands: whatever was running when its session was deleted, and may still write, has ended by then. An invocation
 * lives for 15 minutes at most, and for 90 on managed instances.
 */
export const GRAVE_MS = 2 * 3_600_000;
/** Time in ms for which a sweep has a grave for itself: much longer than the sweeper may live, which is a minute. */
export const HELD_MS = 5 * 60_000;

/** What became of the wish to delete a session. */
export type Burial =
  /** It is no more, for anybody. What is stored of it is still to be deleted. */
  | { readonly kind: 'buried' }
  /** Its run goes on, or waits; or it has moved since it was seen. */
  | { readonly kind: 'busy' }
  /** Others read what it has stored. */
  | { readonly kind: 'forked'; readonly forks: readonly string[] }
  | { readonly kind: 'unknown' };

export interface HowBuried {
  /** Refuses as `busy` when anybody has been at the session since. */
  readonly seen?: Pick<Fence, 'epoch' | 'inboxSeq'>;
  /** Id of the session that it was forked from. */
  readonly origin?: string;
}

/** A session that was deleted, as its tombstone has it. */
export interface Grave {
  readonly key: SessionKey;
  /** Epoch ms. */
  readonly buriedAt: number;
  /** Epoch ms at which a sweep looks after it. It is also whose turn it is: see {@link Graves.move}. */
  readonly at: number;
  /** Id of the session that it was forked from. */
  readonly origin?: string;
}

/**
 * How sessions are deleted (docs/adr/0029-deleting-sessions.md). A session's HEAD becomes a tombstone, in one write: from then on every operation of
 * the other stores that asks HEAD finds no session, and `create` finds it `gone`. What others may write without asking HEAD is
 * deleted twice: soon, and when nobody is left who could. The tombstone goes last.
 *
 * Rejects when a service cannot be reached; each operation may be done again.
 */
export interface Graves {
  /**
   * Makes HEAD a tombstone, and takes the session off the lists, where nobody gets it back on. Only at rest: nothing is due, nobody owns it, no wait is open, and nobody has forked
   * it. One that rejects may have been applied; what it has left undone, the sweep does.
   *
   * Its forks are the set `forks` of its HEAD.
   */
  bury(key: SessionKey, now: number, how?: HowBuried): Promise<Burial>;
  /** Tombstones that are to be looked after at `now`, a page at a time. May be behind: `move` decides. */
  due(now: number): AsyncIterable<readonly Grave[]>;
  /** Says when it is next looked after, if nobody has said so since it was read. Undefined when somebody has: it is theirs. */
  move(grave: Grave, at: number): Promise<Grave | undefined>;
  /** Deletes all that is stored of the session, but for its tombstone. One that rejects has deleted some of it. */
  erase(grave: Grave): Promise<void>;
  /** Deletes the tombstone, if nobody has moved it since: from then on the key may be another session's. */
  close(grave: Grave): Promise<void>;
}
