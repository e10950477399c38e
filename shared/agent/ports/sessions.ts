import type { Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Known } from '../session/known.ts';
import type { Pinned } from '../session/pinned.ts';
import type { Session } from '../session/session.ts';
import type { Slot, ToolResult } from '../session/slots.ts';
import type { CallStart, Decision } from '../session/waits.ts';
import type { Next } from '../session/wake.ts';
import type { Fence } from './fence.ts';

/** HEAD, slots and results of sessions: the durable step protocol (docs/design.md). */
export interface SessionStore {
  /**
   * Creates the session, if neither a session nor a tombstone (`entrypoints/graves.ts`) has its key; for a tombstone the result is
   * `gone`. Idempotent.
   */
  create(
    session: Session,
  ): Promise<{ kind: 'created' } | { kind: 'exists'; session: Session } | { kind: 'gone' }>;
  /** The committed state, strongly consistent. */
  read(key: SessionKey): Promise<SessionView | undefined>;
  /** Stores a pinned definition under its content hash. Idempotent. */
  putDefinition(tenant: string, hash: string, pinned: Pinned): Promise<void>;
  definition(tenant: string, hash: string): Promise<Pinned | undefined>;
  /** Takes the session for this invocation, and counts the attempt before anything is spent. */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Slots with `n >= from`, in order, strongly consistent, including uncommitted ones. With a `page`, only those of that page. */
  slots(key: SessionKey, from: number, page?: SlotsPage): Promise<StoredSlot[]>;
  /**
   * Committed slots from `from` up to `below`, in order: from the session's packs, or from the slots themselves where there are
   * no packs. Costs only the packs that this worker does not remember. The returned objects are immutable, and the same ones as
   * long as they are remembered.
   *
   * @param id {@link Packed}`.id`
   */
  packs(key: SessionKey, id: string, from: number, below: number): Promise<readonly Slot[]>;
  /**
   * Stores slots together, in addition to their own items: at least one, committed, consecutive, and of {@link MAX_PACK_BYTES}
   * at most. Idempotent. A pack that was never committed (`Session.packed`) has the same slots, so it does no harm, whichever
   * step wrote it.
   */
  putPack(key: SessionKey, id: string, slots: readonly Slot[]): Promise<void>;
  /** Writes a slot if there is none, or if the existing one has an epoch not above `epoch`. */
  putSlot(key: SessionKey, epoch: number, slot: Slot): Promise<'put' | 'superseded'>;
  /**
   * The fence before unsafe tools: records the calls' ids as started, if the session is still `epoch`'s, the run has not been
   * cancelled since `cancelGen`, and none of them is already recorded.
   */
  fence(
    key: SessionKey,
    epoch: number,
    cancelGen: number,
    callIds: readonly string[],
  ): Promise<'fenced' | 'refused'>;
  /** Stores the result of a call whose batch is not written yet. The first one stays. */
  putResult(key: SessionKey, n: number, result: ToolResult): Promise<void>;
  /** Results stored by `putResult` for the batch of slot `n`. */
  results(key: SessionKey, n: number): Promise<ToolResult[]>;
  /**
   * Resolves a wait by a person's decision, once, and makes the session due now. `busy` while a step owns the session, because
   * it may be closing the batch; `closed` if the wait is not open, or no longer open.
   */
  decide(
    key: SessionKey,
    waitId: string,
    decision: Decision,
  ): Promise<'decided' | 'busy' | 'closed' | 'unknown'>;
  /**
   * The fence before a queued call: records its start, if the call is waited for, no step owns the session and it is not
   * cancelled. A start that is already recorded is `running` until its worker must be dead. Then it is `died`, or begun again
   * if `again` says that this is safe. A start of this very invocation is `begun`, even if a step owns the session by now.
   */
  beginCall(
    key: SessionKey,
    waitId: string,
    start: CallStart,
    again: boolean,
    now: number,
  ): Promise<BeginResult>;
  /**
   * Takes a finished call out of the waits. The worker that takes the `last` one has made the session due now, in the same
   * write, and sends its wake. `closed` if it had already been taken out.
   */
  finishCall(key: SessionKey, waitId: string, now: number): Promise<'last' | 'more' | 'closed'>;
  /** Commits, all or nothing, and releases the session. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Extends the lease. `lost` if another epoch has begun, or this one has committed. */
  extend(key: SessionKey, epoch: number, leaseUntil: number): Promise<'held' | 'lost'>;
  /** The part of HEAD that may have changed while a step runs. */
  watch(key: SessionKey): Promise<Watch | undefined>;
  /** Asks the session's run to stop, and makes the session due now. `idle` if no run is active or waiting, and nothing works in the background. */
  cancel(key: SessionKey, now: number): Promise<'cancelled' | 'idle' | 'unknown'>;
  /**
   * Has a session that is not at rest look at its children: it is due now, unless it is due already. An owner that has not seen
   * the knock cannot put the session to rest; the caller sends the wake.
   */
  knock(key: SessionKey, now: number): Promise<'knocked' | 'idle' | 'unknown'>;
  /**
   * Restores the session's files, and records what its model is told about it. `busy` if a run is active or waiting, or if
   * another process has committed or restored since `seen`.
   */
  restore(
    key: SessionKey,
    seen: Session,
    to: Pick<Session, 'workspace' | 'nudges'>,
  ): Promise<'restored' | 'busy' | 'unknown'>;
  /**
   * Revokes a grant, even if a step owns the session: from now on no session that is read has it. A running step learns of it
   * from `watch`. Idempotent.
   */
  revoke(key: SessionKey, grantId: string): Promise<'revoked' | 'unknown'>;
  /**
   * Records a fork of this session, so that the slots that it reads are not deleted. Idempotent. `full` if {@link MAX_FORKS}
   * are recorded.
   */
  addFork(key: SessionKey, forkId: string): Promise<'added' | 'full' | 'unknown'>;
  /** Removes that record, because the fork is gone. Idempotent. */
  removeFork(key: SessionKey, forkId: string): Promise<void>;
  /** Adds a connection to the session's subscribers. */
  subscribe(key: SessionKey, connectionId: string): Promise<SubscribeResult>;
  unsubscribe(key: SessionKey, connectionId: string): Promise<void>;
  /**
   * All sessions whose wake is overdue at `now` (`WakeTimes.sweepAt`), or will be `ahead` ms later, and that no step holds at
   * `now`, a page at a time, read on demand. The sessions of a page were due in that order; the next page may have earlier
   * ones. A caller that stops early returns the iterator. Read failures are thrown after the rest.
   */
  overdue(now: number, ahead?: number): AsyncIterable<readonly Sleeper[]>;
  /**
   * Makes an overdue session due, if it only waited for people until now, and keeps it out of `overdue` until `until`, so that
   * a long backlog is not woken over and over.
   */
  postpone(key: SessionKey, now: number, until: number): Promise<void>;
}

/** A session as it is stored, including the parts that are not the loop's own state. */
export interface SessionView {
  readonly session: Session;
  readonly fence: Fence;
  /** Epoch ms at which it wants a wake; absent if it is at rest. */
  readonly dueAt?: number;
  readonly leaseUntil: number;
  /** Consecutive claims without a commit. */
  readonly attempts: number;
  /** Frames of the last commit, which the log may not have yet. */
  readonly tail: readonly Frame[];
  /** Sessions that were forked from this one, by id. */
  readonly forks: readonly string[];
}

/** A session that waits for a wake. */
export interface Sleeper extends SessionView {
  /** Epoch ms at which the sweeper handles it. */
  readonly sweepAt: number;
}

export interface ClaimRequest {
  readonly key: SessionKey;
  readonly invocationId: string;
  readonly messageId: string;
  readonly now: number;
  readonly leaseMs: number;
}

export type ClaimResult =
  /** The session belongs to this invocation. `view.attempts` counts this attempt. */
  | { readonly kind: 'claimed'; readonly view: SessionView }
  /** Another invocation holds it, woken by the same message: it has custody of that message. */
  | { readonly kind: 'leased_by_this_message' }
  /** Another invocation holds it, woken by another message. */
  | { readonly kind: 'leased' }
  /** Not due before `dueAt`. */
  | { readonly kind: 'early'; readonly dueAt: number; readonly view: SessionView }
  /** Nothing to run. */
  | { readonly kind: 'rest'; readonly view: SessionView }
  | { readonly kind: 'unknown' };

export interface CommitRequest {
  readonly epoch: number;
  /** The last seen state of what others may change; a commit that missed something is refused. */
  readonly seen: { readonly cancelGen: number; readonly inboxSeq: number };
  readonly session: Session;
  /** Inbox events that this commit incorporates. */
  readonly incorporated: readonly string[];
  /** Earlier ones that may not be marked done yet. */
  readonly unmarked: readonly string[];
  /** Those that are marked, and still known. */
  readonly known?: Known;
  readonly next: Next;
  /** Waits that are open from now on, still without decisions or starts; `keep` leaves all of that as it is. */
  readonly waits: readonly string[] | 'keep';
  /** Revoked grants that nothing in this session names any more. */
  readonly forgotten?: readonly string[];
  /**
   * Set by a commit that has written nothing in the place of the model's reply: the recorded starts stay. An owner that has
   * died since may have written the reply that asked for those calls late; a step that finds that reply must know which calls
   * were begun.
   */
  readonly intents?: 'keep';
  readonly tail: readonly Frame[];
  /** Epoch ms. */
  readonly now: number;
}

export type BeginResult =
  | { readonly kind: 'begun' }
  /** Another worker is running it, until `until` at most, epoch ms. */
  | { readonly kind: 'running'; readonly until: number }
  /** Its worker died, and it must not start twice. */
  | { readonly kind: 'died' }
  /** The call is no longer waited for, a step owns the session and closes the batch, or the run is to be cancelled. */
  | { readonly kind: 'closed' };

export type CommitResult =
  /** Also if an earlier try was applied and its answer lost. */
  | { readonly kind: 'committed'; readonly subscribers: readonly string[] }
  /** A newer epoch owns the session: stop, and tell clients nothing. */
  | { readonly kind: 'superseded' }
  /** A cancel or an event arrived: decide again. */
  | { readonly kind: 'moved'; readonly fence: Fence };

export interface Watch {
  readonly epoch: number;
  readonly cancelGen: number;
  readonly subscribers: readonly string[];
  readonly revoked: readonly string[];
}

export interface StoredSlot {
  readonly slot: Slot;
  readonly epoch: number;
}

/**
 * Bytes of JSON that the slots of one pack may have. Text that cannot be deflated grows by some bytes, and an item may have 400
 * KB. A slot that is larger than this is in a blob, and in no pack.
 */
export const MAX_PACK_BYTES = 300_000;

/** A piece of a transcript: the cost of reading it does not depend on how much follows it. */
export interface SlotsPage {
  /** Slots with `n` below this one. */
  readonly below: number;
  /** It ends with the slot that fills this many bytes of JSON; its first slot is always read. */
  readonly bytes: number;
}

export type SubscribeResult =
  | { readonly kind: 'subscribed' }
  /** {@link MAX_SUBSCRIBERS} already follow: these. Those that are gone may be unsubscribed. */
  | { readonly kind: 'full'; readonly subscribers: readonly string[] }
  | { readonly kind: 'unknown' };

/**
 * Connections that follow one session. Each gets several posts a second while a step runs, one at a time, so that no client
 * waits for the post to another one.
 */
export const MAX_SUBSCRIBERS = 50;

/**
 * Sessions that may be forked from one, not counting forks of those. Their ids are part of HEAD, which is written twice a step:
 * 100 of them take some 3.3 KB.
 */
export const MAX_FORKS = 100;
