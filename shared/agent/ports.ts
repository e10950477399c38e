import type { FoldReason, Frame, ToolsOmitted } from '../contract/events.ts';
import type { Naming, Standing } from '../contract/listing.ts';
import type { CallMessage, Delivery, Wake } from '../contract/queue.ts';
import type { LastEnding, SessionKey, Usage } from '../contract/session.ts';
import type { TenantBudgets } from './budgets/reservation.ts';
import type { Cache } from './config/cache.ts';
import type { DialectName } from './config/model.ts';
import type { ServerTool } from './config/server-tools.ts';
import type { Memories } from './memories/store.ts';
import type { Attachment } from './session/attachments.ts';
import type { CallerFacts } from './session/caller.ts';
import type { Pinned, PinnedAnswer, PinnedModel, PinnedTool } from './session/pinned.ts';
import type { Mode } from './session/proposals.ts';
import type { ModelOutcome } from './session/reply.ts';
import type { Run, Session } from './session/session.ts';
import type { Block, Slot, ToolResult } from './session/slots.ts';
import type { Spoken, Verdict } from './session/verdict.ts';
import type { CallStart, Decision } from './session/waits.ts';
import type { Next } from './session/wake.ts';

/**
 * What becomes of the message: `ack` deletes it; `retry` leaves it to come back. A message is acknowledged only
 * when the session's next wake is on the queue, or its HEAD was seen to need none (docs/design.md, step 8), and
 * when the delivery queue knows of the commit, if anybody outside listens.
 */
export type Settlement = 'ack' | 'retry';

/**
 * Everything the core needs of the outside, in small interfaces. Two sets of adapters exist, `shared/aws`
 * and `shared/memory`; one contract suite (`test/contract`) runs on both. Unless an operation says
 * otherwise it rejects when the service cannot be reached, and may then have been applied or not.
 */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sessions: SessionStore;
  readonly inbox: InboxStore;
  readonly listings: Listings;
  readonly log: EventLog;
  readonly blobs: Blobs;
  readonly egress: Egress;
  readonly memories: Memories;
  readonly queue: Queue;
  readonly sockets: Sockets;
  readonly provider: Provider;
  readonly config: ToolConfig;
  readonly resources: Resources;
  readonly meter: Meter;
  /** Absent where infrastructure costs nothing. */
  readonly bill?: Bill;
  readonly budgets: TenantBudgets;
  readonly later: LaterAnswers;
}

/** Tells operators what they watch. Never rejects, never waits, and is never told what people, models or tools say, but by a `trace`. */
export interface Meter {
  /** A guard spoke in a committed step. A step whose commit's answer was lost is counted by whoever learns of it. */
  verdict(counted: CountedVerdict): void;
  /**
   * A step was committed.
   *
   * @param trace what it was made of, for who follows it closer: made only when it is asked for
   */
  step(report: StepReport, trace?: () => StepTrace): void;
  /** A tool threw, took too long, or returned what cannot be kept: the model reads why, and operators see where. */
  callFailed(failure: CallFailure): void;
  /** A session goes without single tools of a source, because no form could be made of them. */
  toolsOmitted(key: SessionKey, omitted: ToolsOmitted): void;
}

/** Counts what an invocation costs beside its model. Never rejects. */
export interface Bill {
  /**
   * USD that this invocation will have cost if it commits now: all that it has sent and the time that it has taken, and the commit
   * and what goes with it, as large as its claim was. Undefined outside of an invocation that is counted.
   */
  usd(): number | undefined;
}

/** What a committed step came to. Times are in ms; tokens and dollars are this step's own. */
export interface StepReport {
  readonly key: SessionKey;
  readonly agent: string;
  readonly run: string;
  /** Model calls of the run that are committed by now. */
  readonly step: number;
  /** Which try this was, from 1. */
  readonly attempt: number;
  readonly model: string;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** Beside `costUsd`; absent where nobody counts it. */
  readonly infraUsd?: number;
  /** `continues` with another step, `waits` for people or queued calls, or the run has `ended`. */
  readonly ending: 'continues' | 'waits' | 'ended';
  /** Why the model's context was made smaller: that is all that the step did. */
  readonly folded?: FoldReason;
  /** Code of the failed model call that is tried again, in `delayMs`. */
  readonly failure?: string;
  readonly delayMs?: number;
  /** How the run ended, if it did. */
  readonly ended?: LastEnding;
  /** What the loop guards have counted in it: calls asked for, and those that ran, by how they ended (L10). */
  readonly counted: { readonly calls: number; readonly successes: number; readonly failures: number };
  /** Seconds that the run had worked by its end, since the last message (L7); absent while it goes on. */
  readonly activeSeconds?: number;
}

/** What a committed step was made of. It has what people, models and tools have said. */
export interface StepTrace {
  /** The session as the step began with it, its run begun. */
  readonly before: Session;
  /** As it is committed. */
  readonly after: Session & { readonly run: Run };
  readonly pinned: Pinned;
  /** The model that it was to ask. */
  readonly model: PinnedModel;
  /** Slots that the step has read, and those that it has written, in order. */
  readonly history: readonly Slot[];
  readonly slots: readonly Slot[];
  /** What guards have said in effect. */
  readonly said: readonly Spoken[];
  readonly times: StepMoments;
  /** Epoch ms of the commit. */
  readonly at: number;
}

/** When what began, in epoch ms: noted as a step goes on. */
export interface StepMoments {
  readonly openedAt: number;
  /** When a model was asked by this attempt. */
  askedAt?: number;
  /** When it first said something. */
  firstAt?: number;
  /** When each call began that this attempt ran, by its id. */
  readonly calls: Map<string, number>;
}

export interface CallFailure {
  readonly key: SessionKey;
  readonly tool: string;
  readonly callId: string;
  readonly code: 'failed' | 'timeout' | 'not_json';
  readonly durationMs: number;
  /** What it threw. Its message may hold the call's arguments, and is not for the log. */
  readonly error?: unknown;
}

export interface CountedVerdict {
  readonly agent: string;
  readonly guard: string;
  readonly action: Verdict['kind'];
  readonly code: string;
}

/** What the worker has left (T2). */
export interface Resources {
  read(): ResourceUse;
}

/** Shares of the worker's own limits that are used, from 0 to 1 and above; what cannot be read is absent. */
export interface ResourceUse {
  /** Of the heap. */
  readonly memory?: number;
  /** Of the disk for temporary files. */
  readonly disk?: number;
  /** Of the file descriptors. */
  readonly files?: number;
}

export interface Clock {
  /** Epoch ms. Skew between hosts costs time, never safety. */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new id, unique for ever, of letters and digits: nobody guesses it (128 random bits or more). */
  next(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

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

/** Accepted outside events, each incorporated into exactly one slot. */
export interface InboxStore {
  /**
   * Keeps the event, if there is none with its id, and tells the session of it. A replay repairs what a
   * crash cut short and otherwise changes nothing: the effect is deduplicated, never the wake.
   *
   * @param whenFull `keep`: an event that finds no room waits for it, behind those that wait already. While any does, no
   *   other event gets in before it. `refuse` when absent.
   */
  accept(key: SessionKey, event: InboxEvent, now: number, whenFull?: WhenFull): Promise<AcceptResult>;
  /**
   * Moves what waits for room into the inbox, oldest first, for the owner of `fence`, and shows the fence as it is then.
   * Of a session that has another owner by now nothing is moved.
   */
  refill(key: SessionKey, fence: Fence): Promise<Fence>;
  /** The events with these ids, as far as they exist, by `at`, then id. Those marked done have no text. */
  read(key: SessionKey, eventIds: readonly string[]): Promise<InboxEvent[]>;
  /** Marks events as incorporated for good: their replays are then known without HEAD's help. Idempotent. */
  markDone(key: SessionKey, eventIds: readonly string[]): Promise<void>;
}

/** What lists of sessions are made of, an item each beside HEAD: an index of it takes no part in ordinary steps. */
export interface Listings {
  /**
   * Says where a session stands, unless something newer is known. What it is called is taken from whoever is first to say it. Idempotent.
   */
  moved(key: SessionKey, standing: Standing, naming?: Naming): Promise<void>;
}

/** The event log of a session: what reconnecting clients catch up from. Entries expire. */
export interface EventLog {
  /** Adds frames, ordered by seq. Writing a batch again changes nothing. */
  append(key: SessionKey, frames: readonly Frame[]): Promise<void>;
  /** Frames with `seq > after` and `seq <= upTo`, in order, without duplicates, at most `limit`. */
  read(key: SessionKey, after: number, limit: number, upTo?: number): Promise<Frame[]>;
}

/**
 * Calls that are answered later, from outside (docs/adr/0018-answers-that-come-later.md). Of tokens only hashes come here.
 */
export interface LaterAnswers {
  /** Where a call is answered: whoever posts there is who holds the token. Throws where the function does not know its API. */
  urlOf(token: string): string;
  /** Keeps what a token is for, under its hash, for {@link KEPT_AFTER_MS} longer than it is good. Idempotent. */
  grant(hash: string, grant: Grant): Promise<void>;
  /** What a token is for, strongly consistent. */
  granted(hash: string): Promise<Grant | undefined>;
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
export interface Grant extends SessionKey {
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

/** Bodies too large for an item, as text or as bytes: what was put as one can be had as the other. */
export interface Blobs {
  put(key: string, body: string): Promise<void>;
  get(key: string): Promise<string | undefined>;
  putBytes(key: string, body: Uint8Array): Promise<void>;
  /** Rejects when it has more than `maxBytes`, before these are read. What is handed out is the caller's own. */
  getBytes(key: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  /** Whether there is one. */
  has(key: string): Promise<boolean>;
}

/**
 * The way out for tools: HTTP to public addresses, and nowhere else. What is inside of this account's network (private,
 * link-local and loopback addresses, services of metadata) is refused, by name, by address and after a redirect.
 */
export interface Egress {
  /**
   * As the platform's `fetch`. Rejects, with a sentence, when the URL is refused, nobody answers, or the answer is too large
   * or too slow; what comes too late of a body rejects its reading.
   */
  readonly fetch: (url: string | URL, init?: EgressInit) => Promise<Response>;
}

/** What one fetch may be told beyond the standard. */
export interface EgressInit extends RequestInit {
  /** Bytes of the answer's body, unpacked: 5,000,000 when absent, at most 50,000,000. */
  readonly maxBytes?: number;
  /** Seconds until the whole answer must have been read: 30 when absent, at most 840. */
  readonly timeoutSeconds?: number;
}

/** The step queue, and the one of deliveries to listeners outside. */
export interface Queue {
  /** Sends a wake. `delayMs` is rounded up to seconds; at most 900,000 (SQS). */
  send(wake: Wake, delayMs?: number): Promise<void>;
  /** Says that listeners outside may have something to hear of a session. `delayMs` as for `send`. */
  deliver(key: Delivery, delayMs?: number): Promise<void>;
  /** Sends a call to the tool queue. */
  call(call: CallMessage): Promise<void>;
  /** Hides this invocation's own message for `ms` from now. Best effort. */
  hide(message: MessageHandle, ms: number): Promise<void>;
}

/** WebSocket connections. Never rejects: what went wrong is the answer. */
export interface Sockets {
  post(connectionId: string, data: string): Promise<'sent' | 'gone' | 'slow' | 'failed'>;
}

/** The model. Never rejects; when `signal` aborts it resolves soon with what is whole (`interrupted`). */
export interface Provider {
  complete(
    request: ModelRequest,
    onDelta: (delta: Delta) => void,
    signal: AbortSignal,
  ): Promise<ModelOutcome>;
}

/** What tools may ask of the deployment. */
export interface ToolConfig {
  setting(name: string): string | undefined;
  secret(name: string): Promise<string>;
}

/** This invocation: who claims, with which message, and until when it may run. */
export interface Invocation {
  /** Unique per invocation (Lambda's request id). */
  readonly id: string;
  readonly message: MessageHandle;
  /** Epoch ms at which the platform kills it. */
  readonly deadlineAt: number;
}

export interface MessageHandle {
  readonly messageId: string;
  readonly receiptHandle: string;
  /** Name of the queue that it came from, where its consumer may have several. */
  readonly queue?: string;
  /** When it was sent, by the queue's clock: epoch ms. Absent where the queue does not say. */
  readonly sentAt?: number;
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

export interface InboxEvent {
  /** The sender's id of the event: its idempotency key. */
  readonly id: string;
  readonly text: string;
  /** What was sent beside the text. */
  readonly attachments?: readonly Attachment[];
  /** Hash of what was sent, to tell a replay from a reuse of the id. */
  readonly digest: string;
  /** Epoch ms; orders events that are drained together. */
  readonly at: number;
  /** Asks something of the run, rather than saying something. */
  readonly control?: Control;
  /** Its text is ours: the model reads it, and no person is shown it. Why it is said. */
  readonly internal?: 'retry';
  /** The run that it is asked of; absent on controls from before that was kept, which are for any. */
  readonly runId?: string;
  /** Subject of who says it, as the edge has verified it. */
  readonly by?: string;
  /** How they were verified, and which way it came; absent where that was not kept yet. */
  readonly caller?: CallerFacts;
  /** How the session is to work from then on. */
  readonly mode?: Mode;
  /** Set by `read`: incorporated already. */
  readonly done?: boolean;
}

/** What a run can be asked to do: sum up and end (T6), or end because the run it works for was cancelled (T1, T7). */
export type Control = 'wrap_up' | 'parent_cancel';

/** What follows from an event that HEAD knows of. */
interface Told {
  readonly wake: Wake;
  /** Set when nobody works on the session and it is due by this event, perhaps: lists show it as running. */
  readonly began?: Standing;
}

export type AcceptResult =
  | ({ readonly kind: 'accepted' } & Told)
  /** Accepted before. With a `wake` while it waits to be incorporated. */
  | ({ readonly kind: 'duplicate' } & Partial<Told>)
  /** The id was used for something else. */
  | { readonly kind: 'conflict' }
  /** {@link MAX_INBOX} events wait already, or more. */
  | { readonly kind: 'full' }
  | { readonly kind: 'unknown' };

/** Events that may wait in one session's inbox, which is a part of HEAD. More wait beside it ({@link WhenFull}). */
export const MAX_INBOX = 100;

/** What becomes of an event that finds the inbox full: its sender is told so, or it is kept until there is room. */
export type WhenFull = 'refuse' | 'keep';

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

/** A request to the model, as plain data. */
export interface ModelRequest {
  readonly provider: string;
  readonly server: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  /** What its server wants beyond the API, where the agent says it. */
  readonly dialect?: DialectName;
  /** Rules of that kind which its server has taught this session by refusing a request: their names. */
  readonly serverRules?: readonly string[];
  /** See `PinnedModel`. */
  readonly cache?: Cache;
  /** See `PinnedModel`. */
  readonly serverTools?: readonly ServerTool[];
  readonly system: string;
  readonly tools: readonly PinnedTool[];
  readonly messages: readonly Message[];
  /** What the server is to leave out by itself; a provider whose server knows nothing of the kind takes no notice. */
  readonly editing?: ContextEditing;
  /**
   * What the reply is to be when it calls nothing: one JSON object that fits `schema`. `system` says so too, so a provider whose
   * server knows nothing of the kind takes no notice.
   */
  readonly answer?: PinnedAnswer;
}

/** Results of tools that a model's server leaves out of what the model reads (strategy `server`). In tokens of the request. */
export interface ContextEditing {
  /** It does so above these. */
  readonly above: number;
  /** It leaves out so many at least, or nothing. */
  readonly atLeast: number;
  /** Newest results that stay. */
  readonly keepResults: number;
}

/** One message of the conversation, as a model reads it. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** A piece of a streamed reply that people may see while it comes. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string };
