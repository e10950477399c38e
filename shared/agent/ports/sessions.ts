import type { Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Pinned } from '../session/pinned.ts';
import type { Session } from '../session/session.ts';
import type { Slot, ToolResult } from '../session/slots.ts';
import type { CallStart, Decision } from '../session/waits.ts';
import type { Next } from '../session/wake.ts';
import type { Fence } from './fence.ts';

/** HEAD, slots and results of sessions: the durable step protocol (docs/design.md). */
export interface SessionStore {
  /** Makes the session, if there is none with its key, nor the tombstone of one (`doors/graves.ts`): then it is `gone`. Idempotent. */
  create(
    session: Session,
  ): Promise<{ kind: 'created' } | { kind: 'exists'; session: Session } | { kind: 'gone' }>;
  /** The committed state, strongly consistent. */
  read(key: SessionKey): Promise<SessionView | undefined>;
  /** Keeps a pinned definition under its content hash. Idempotent. */
  putDefinition(tenant: string, hash: string, pinned: Pinned): Promise<void>;
  definition(tenant: string, hash: string): Promise<Pinned | undefined>;
  /** Takes the session for this invocation, counting the attempt before anything is spent. */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Slots with `n >= from`, in order, strongly consistent; also those not committed yet. Of a `page`, only its own. */
  slots(key: SessionKey, from: number, page?: SlotsPage): Promise<StoredSlot[]>;
  /**
   * Committed slots from `from` up to `below`, in order: from the session's packs, and where these have none, the slots
   * themselves. Costs what the packs hold that this worker does not remember. Nobody can change what is handed out, and
   * as long as it is remembered it is the same objects.
   *
   * @param id {@link Packed}`.id`
   */
  packs(key: SessionKey, id: string, from: number, below: number): Promise<readonly Slot[]>;
  /**
   * Keeps slots together, besides where they are: one at least, committed, one after the other, of {@link MAX_PACK_BYTES} at
   * most. Idempotent. A pack that nobody has committed (`Session.packed`) holds the same slots as they are, so that it does no
   * harm, whoever wrote it.
   */
  putPack(key: SessionKey, id: string, slots: readonly Slot[]): Promise<void>;
  /** Writes a slot if there is none, or one of an epoch not above `epoch`. */
  putSlot(key: SessionKey, epoch: number, slot: Slot): Promise<'put' | 'superseded'>;
  /**
   * The fence before unsafe tools: records the calls' ids as started, if the session is still `epoch`'s, the
   * run not cancelled since `cancelGen`, and none of them recorded before.
   */
  fence(
    key: SessionKey,
    epoch: number,
    cancelGen: number,
    callIds: readonly string[],
  ): Promise<'fenced' | 'refused'>;
  /** Keeps the result of a call whose batch is not written yet. The first one stays. */
  putResult(key: SessionKey, n: number, result: ToolResult): Promise<void>;
  /** Results kept by `putResult` for the batch of slot `n`. */
  results(key: SessionKey, n: number): Promise<ToolResult[]>;
  /**
   * Resolves a wait by a person's decision, once, and makes the session due now. `busy` while a step owns the session:
   * it may be closing the batch; `closed` when the wait is not open (any more).
   */
  decide(
    key: SessionKey,
    waitId: string,
    decision: Decision,
  ): Promise<'decided' | 'busy' | 'closed' | 'unknown'>;
  /**
   * The fence before a queued call: records its start, if it is waited for, nobody owns the session and nobody has
   * cancelled. A start that was recorded before is `running` until its worker must be dead, then `died`, or begun
   * anew when `again` says that this is safe. A start of this very invocation is `begun`, whoever owns the session by now.
   */
  beginCall(
    key: SessionKey,
    waitId: string,
    start: CallStart,
    again: boolean,
    now: number,
  ): Promise<BeginResult>;
  /**
   * Takes a finished call out of the waits. Whoever takes the `last` one has made the session due now, in the same
   * write, and sends its wake. `closed` when it was taken out before.
   */
  finishCall(key: SessionKey, waitId: string, now: number): Promise<'last' | 'more' | 'closed'>;
  /** Commits, all or nothing, and gives the session up. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Prolongs the lease. `lost` when another epoch has begun, or this one has committed. */
  extend(key: SessionKey, epoch: number, leaseUntil: number): Promise<'held' | 'lost'>;
  /** What may have changed while a step runs. */
  watch(key: SessionKey): Promise<Watch | undefined>;
  /** Asks the session's run to stop, and makes the session due now. `idle` when no run is going or waits. */
  cancel(key: SessionKey, now: number): Promise<'cancelled' | 'idle' | 'unknown'>;
  /**
   * Sets the session's files back, and notes what its model is told of that. `busy` when a run goes on or waits, or somebody has
   * committed or restored since `seen`.
   */
  restore(
    key: SessionKey,
    seen: Session,
    to: Pick<Session, 'workspace' | 'nudges'>,
  ): Promise<'restored' | 'busy' | 'unknown'>;
  /**
   * Takes a grant back, whoever owns the session: from now on no session that is read has it. A step that goes on learns of it from
   * `watch`. Idempotent.
   */
  revoke(key: SessionKey, grantId: string): Promise<'revoked' | 'unknown'>;
  /**
   * Notes that a session is a fork of this one, so that nobody deletes what it reads. Idempotent. `full` when {@link MAX_FORKS} are noted.
   */
  addFork(key: SessionKey, forkId: string): Promise<'added' | 'full' | 'unknown'>;
  /** Takes that back: the fork is gone. Idempotent. */
  removeFork(key: SessionKey, forkId: string): Promise<void>;
  /** Adds a connection to those that the session's events are pushed to. */
  subscribe(key: SessionKey, connectionId: string): Promise<SubscribeResult>;
  unsubscribe(key: SessionKey, connectionId: string): Promise<void>;
  /**
   * Sessions whose wake is overdue at `now` (`WakeTimes.sweepAt`), or will be `ahead` ms later, and that nobody holds at `now`: all of
   * them, a page at a time, read when it is asked for. Those of a page were due in that order; others may come first on the next one.
   * Whoever has had enough returns the iterator. What cannot be read is thrown after the rest.
   */
  overdue(now: number, ahead?: number): AsyncIterable<readonly Sleeper[]>;
  /**
   * Makes an overdue session due, if it only waited for people until now, and keeps it out of `overdue` until `until`,
   * so that a long backlog is not woken over and over.
   */
  postpone(key: SessionKey, now: number, until: number): Promise<void>;
}

/** A session as it stands, with what does not belong to the loop's own state. */
export interface SessionView {
  readonly session: Session;
  readonly fence: Fence;
  /** Epoch ms at which it wants a wake; absent when it is at rest. */
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
  /** Epoch ms at which the sweeper looks after it. */
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
  /** The session is this invocation's. `view.attempts` counts this attempt. */
  | { readonly kind: 'claimed'; readonly view: SessionView }
  /** Another invocation holds it, woken by the same message: that message is its custody. */
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
  /** What was last seen of what others may change; a commit that missed something is refused. */
  readonly seen: { readonly cancelGen: number; readonly inboxSeq: number };
  readonly session: Session;
  /** Inbox events that this commit incorporates. */
  readonly incorporated: readonly string[];
  /** Earlier ones that are not known to be marked done. */
  readonly unmarked: readonly string[];
  readonly next: Next;
  /** Waits that are open from now on, and with them no decision or start yet; `keep` leaves all that as it is. */
  readonly waits: readonly string[] | 'keep';
  /** Grants that were taken back, of which nothing of this session says anything any more. */
  readonly forgotten?: readonly string[];
  /**
   * Set by a commit that has written nothing where the model's reply would stand: the starts on record stay. The reply that asked for those calls may have been written by an
   * owner that has died since, and come late: who finds it then must know what was begun.
   */
  readonly intents?: 'keep';
  readonly tail: readonly Frame[];
  /** Epoch ms. */
  readonly now: number;
}

export type BeginResult =
  | { readonly kind: 'begun' }
  /** Another worker runs it; not after `until`, epoch ms. */
  | { readonly kind: 'running'; readonly until: number }
  /** Its worker died, and it must not start twice. */
  | { readonly kind: 'died' }
  /** Nobody waits for it any more, or a step owns the session: it closes the batch. Or the run is to be cancelled. */
  | { readonly kind: 'closed' };

export type CommitResult =
  /** Also when an earlier try was applied and its answer lost. */
  | { readonly kind: 'committed'; readonly subscribers: readonly string[] }
  /** A newer epoch owns the session: stop, and say nothing. */
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
 * Bytes of JSON that the slots of one pack may have. Text that cannot be deflated becomes longer by some bytes, and an
 * item may have 400 KB. A slot that is larger than this lies in a blob, and in no pack.
 */
export const MAX_PACK_BYTES = 300_000;

/** A piece of a transcript: reading it costs what it holds, however much comes after it. */
export interface SlotsPage {
  /** Slots with `n` below this one. */
  readonly below: number;
  /** It ends with the slot that fills so many bytes of JSON; its first slot is always read. */
  readonly bytes: number;
}

export type SubscribeResult =
  | { readonly kind: 'subscribed' }
  /** {@link MAX_SUBSCRIBERS} follow already: these. Those of them that are gone may be unsubscribed. */
  | { readonly kind: 'full'; readonly subscribers: readonly string[] }
  | { readonly kind: 'unknown' };

/**
 * Connections that follow one session. Each is posted to several times a second while a step speaks, one post in flight to
 * each, so that no client waits for another one's post.
 */
export const MAX_SUBSCRIBERS = 50;

/**
 * Sessions that may be forked from one, not counting forks of those. Their ids are a part of HEAD, which is written twice a step: 100 of
 * them have some 3.3 KB.
 */
export const MAX_FORKS = 100;
