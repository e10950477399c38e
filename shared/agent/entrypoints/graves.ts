import type { SessionKey } from '../../contract/session.ts';
import type { Fence } from '../ports/fence.ts';

/**
 * Time in ms for which a tombstone stays. Every process that was running when its session was deleted, and could still write,
 * has ended by then: an invocation lives for at most 15 minutes, and for 90 on managed instances.
 */
export const GRAVE_MS = 2 * 3_600_000;
/** Time in ms for which a sweep has a tombstone to itself: much longer than the sweeper may live, which is a minute. */
export const HELD_MS = 5 * 60_000;

/** The outcome of a request to delete a session. */
export type Burial =
  /** The session can no longer be found. Its stored data is still to be deleted. */
  | { readonly kind: 'buried' }
  /** Its run is active or waiting, or the session has changed since it was seen. */
  | { readonly kind: 'busy' }
  /** Other sessions read its stored slots. */
  | { readonly kind: 'forked'; readonly forks: readonly string[] }
  | { readonly kind: 'unknown' };

export interface HowBuried {
  /** Refuses as `busy` if another process has changed the session since. */
  readonly seen?: Pick<Fence, 'epoch' | 'inboxSeq'>;
  /** Id of the session that it was forked from. */
  readonly origin?: string;
}

/** A deleted session, as its tombstone describes it. */
export interface Grave {
  readonly key: SessionKey;
  /** Epoch ms. */
  readonly buriedAt: number;
  /** Epoch ms at which a sweep handles it. It also decides which sweep may: see {@link Graves.move}. */
  readonly at: number;
  /** Id of the session that it was forked from. */
  readonly origin?: string;
}

/**
 * How sessions are deleted (docs/adr/0029-deleting-sessions.md). A session's HEAD becomes a tombstone, in one write. From then
 * on every operation of the other stores that reads HEAD finds no session, and `create` finds it `gone`. Data that other
 * processes may write without reading HEAD is deleted twice: soon, and again when no writer is left. The tombstone is deleted
 * last.
 *
 * Rejects if a service cannot be reached; each operation may be repeated.
 */
export interface Graves {
  /**
   * Makes HEAD a tombstone, and removes the session from the lists, to which it cannot return. Only at rest: no wake is due, no
   * step owns the session, no wait is open, and it has no forks. If it rejects, it may have been applied; the sweep does the
   * rest.
   *
   * Its forks are the set `forks` of its HEAD.
   */
  bury(key: SessionKey, now: number, how?: HowBuried): Promise<Burial>;
  /** The session's tombstone, strongly consistent; undefined if it has none. */
  read(key: SessionKey): Promise<Grave | undefined>;
  /** Tombstones that are due for a sweep at `now`, a page at a time. May be out of date: `move` decides. */
  due(now: number): AsyncIterable<readonly Grave[]>;
  /**
   * Sets when the tombstone is handled next, unless another sweep has done so since it was read. Then it is that sweep's, and
   * the result is undefined.
   */
  move(grave: Grave, at: number): Promise<Grave | undefined>;
  /** Deletes all stored data of the session except its tombstone. If it rejects, it has deleted some of it. */
  erase(grave: Grave): Promise<void>;
  /** Deletes the tombstone, unless another sweep has moved it since. From then on the key may be used for another session. */
  close(grave: Grave): Promise<void>;
}
