import type { Amount } from '../../shared/agent/budgets/amount.ts';
import type { BudgetDay } from '../../shared/agent/budgets/store.ts';
import type { Control } from '../../shared/agent/ports/inbox.ts';
import type { CommitRequest } from '../../shared/agent/ports/sessions.ts';
import type { Leave, NewGrant } from '../../shared/agent/session/leave.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import type { Frame } from '../../shared/contract/events.ts';
import type { SessionKey, Totals } from '../../shared/contract/session.ts';
import type { Head } from '../../shared/memory/head.ts';
import type { EditRun } from './edits.ts';
import type { OwnedFacts } from './facts.ts';
import { type CallFailure, type Failures, noFailures } from './failures.ts';
import type { Books } from './invariants/budgets.ts';
import type { Caller } from './network.ts';
import type { Handed } from './outside.ts';
import type { SentFile } from './sent.ts';
import { newServed, type Served } from './served.ts';

/** The true facts of a simulation, kept next to the system and never read by it. Invariants query them. */
export interface Ledger {
  readonly sessions: Map<string, SessionFacts>;
  /** By the id of the invocation that holds or held it. */
  readonly claims: Map<string, Claim>;
  /** Numbers of the frames that were pushed to a connection since it has subscribed, by connection and invocation. */
  readonly pushed: Map<string, Map<string, Set<number>>>;
  /** Ids of the messages that invocations were started with. */
  readonly received: Map<string, string>;
  /** The sessions that invocations try to claim, or of which they begin a queued call. */
  readonly aims: Map<string, Aim>;
  /**
   * The answers that invocations got to their claims. For a session that was not due yet: what it waits for, and until
   * when.
   */
  readonly told: Map<string, Told>;
  readonly early: Map<string, { readonly pending: readonly string[]; readonly dueAt: number }>;
  /** Text that the model has streamed so far, by session and message: `pk#messageId`. */
  readonly spoken: Map<string, string>;
  /** Unsafe and other calls that have started, by {@link callKey}. */
  readonly calls: Map<string, CallFacts>;
  /** By tenant and day. */
  readonly books: Map<string, Books>;
  /** Contents of the store of blobs, by key. */
  readonly blobs: Map<string, Uint8Array>;
  /** Facts by their owner. */
  readonly memories: Map<string, OwnedFacts>;
  /** Amounts that an invocation has reserved and not used yet. */
  readonly reserved: Map<string, { readonly day: BudgetDay; readonly amount: Amount }>;
  /** When requests of children were first found to be over while a root showed them: epoch ms, by id. */
  readonly goneAsks: Map<string, number>;
  /** The first broken invariant. */
  violation: Violation | undefined;
  violate(invariant: string, message: string): void;
  facts(key: SessionKey): SessionFacts;
}

/**
 * A session that an invocation tries to claim, or whose queued call it tries to begin, with the invocation's message.
 */
export interface Aim {
  readonly pk: string;
  readonly messageId: string;
  readonly waitId?: string;
}

export interface Told {
  readonly answer: string;
  /** Event number at which the store gave this answer, which may have arrived much later. */
  readonly at: number;
}

export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

/** Event numbers of the simulation at which runs of a call have begun something outside, and at which that was stopped. */
export interface Outside {
  readonly begun: number[];
  readonly stopped: number[];
  /** Those of runs that were told to stop before they had ended. */
  readonly aborted: number[];
}

/** One invocation's hold on a session. */
export interface Claim {
  readonly epoch: number;
  readonly key: SessionKey;
  readonly pk: string;
  /** HEAD as the claim left it. */
  readonly head: Head;
  /** The inbox that it got. A claim that is sent again gets later events too. */
  inbox: readonly string[];
  /** Event number of the simulation at which the invocation began. */
  readonly beganAt: number;
  /** Event number at which it claimed. */
  readonly claimedAt: number;
  /** The time at which it was told to stop. Nothing new may start after that. */
  stopKnownAt: number | undefined;
  /** Whether it runs a version that does not know folds and packs. */
  readonly older: boolean;
  /** Whether the invocation was told that it holds the session. */
  answered: boolean;
  /** How its model call or its listing failed, if it did. */
  failed: CallFailure | undefined;
  failedAt: number;
  /** Whether its model was not asked, because of a rate limit that others had met. */
  unasked: boolean;
  /** The model's server wants no request before this time. */
  waitUntil: number;
  /** Whether it has committed a batch that waits for answers from outside. */
  waitsForAnswers: boolean;
  /** Number of wakes that this invocation sent, without retries. */
  sends: number;
  /** Ids of unsafe calls that ended here and are not yet sent to the store. */
  readonly unkept: Set<string>;
  /**
   * Number of claims without result since the last commit, and whether they are charged, which not every agent does.
   */
  readonly died: number;
  charges: boolean;
  /** Tokens that those have sent to the model in vain, once it is known how much this step sends. */
  lost: number | undefined;
  /** Usage of its own model call, as its server reported it. It is sold even if it leads to no reply. */
  used: { readonly input: number; readonly output: number } | undefined;
  /** Calls that have started here, in that order. */
  readonly turns: Map<string, Turn>;
  /** Ids of calls whose answer from outside, or its replacement, was there when it claimed. */
  readonly settled: ReadonlySet<string>;
  /** Event number at which its model call was over; 0 if it has made none. */
  repliedAt: number;
  /** Estimated tokens of its own request for a reply, if it has made one. */
  request: (() => number) | undefined;
}

/** Dead attempts whose model calls are charged to the step of a claim. */
export const chargedDeaths = ({ died, charges }: Claim): number => (charges ? died : 0);

/** A call that has started in a step. */
export interface Turn {
  /** Whether it is more than a read. */
  readonly changes: boolean;
  /** The one file that it touches; undefined if its tool does not say. */
  readonly file?: string;
  over: boolean;
  /** Event number at which its step no longer waited for it; 0 until then. */
  overAt: number;
}

export interface SessionFacts {
  readonly key: SessionKey;
  readonly pk: string;
  /** Epoch ms of its deletion. */
  buriedAt: number | undefined;
  /** JSON of every committed slot, as it was committed. */
  readonly slots: string[];
  /** The same, parsed. */
  readonly stored: Slot[];
  /**
   * The blocks of each slot that were sent to the model, by the model and the fold with which the request began, and by
   * slot.
   */
  readonly prefixes: Map<string, Map<number, readonly string[]>>;
  /** Slots of which notices were sent last, and the parts that were left out. */
  readonly noticed: Map<number, string>;
  /** Slot in which an event is. */
  readonly incorporated: Map<string, number>;
  /** Time at which that slot was committed. */
  readonly incorporatedAt: Map<string, number>;
  readonly totals: { input: number; output: number; cacheRead: number; cacheWrite: number; costUsd: number };
  readonly committedEpochs: Set<number>;
  /** Claims whose model's server refused the declaration of a tool. */
  readonly spareRefused: Set<number>;
  /** Invocations that have committed, and the claim of the last of them. */
  readonly committers: Set<string>;
  lastCommit: { readonly by: string; readonly claim: Claim } | undefined;
  /** AG-UI runs that have finished, and the seq of their last event. */
  readonly finishedRuns: Map<string, number>;
  readonly endedRuns: Set<string>;
  /** Seq of the last committed event before the last commit that has told something. */
  toldBefore: number;
  /** Numbers of frames that a commit has put on HEAD. */
  readonly committedFrames: Set<number>;
  /** Replies that are in the store: by slot number. */
  readonly durable: Map<number, Durable>;
  /** Results of unsafe calls in the store, with their time of arrival. */
  readonly results: Map<string, number>;
  /** Calls that were settled before their result reached the store: what they were settled as stands. */
  readonly settledFirst: Set<string>;
  /** The time at which the first batch was put into a slot. */
  readonly batches: Map<number, number>;
  /** Recorded unsafe calls, and since when. */
  readonly fenced: Map<string, number>;
  /** Frames in the log by seq, with their time of arrival. */
  readonly log: Map<number, Frame & { readonly at: number }>;
  readonly events: Map<string, SentEvent>;
  /** Its committed files by path, and every run of a tool that has worked on them, by call. */
  files: ReadonlyMap<string, string>;
  /** The same by the hash of the tree that was named for them. */
  readonly trees: Map<string, ReadonlyMap<string, string>>;
  /** Whether they were restored, and the model has not been told yet. */
  restored: boolean;
  readonly edits: Map<string, EditRun[]>;
  /** The files that each call of the system has read and verified, each time that it ran. */
  readonly verified: Map<string, string[]>;
  /** People's answers to the questions of calls. */
  readonly heard: Map<string, string[]>;
  /** Calls that were given to outside services. */
  readonly handed: Map<string, Handed>;
  /** Moments until which calls have rested, in epoch ms: one for each time that they ran. */
  readonly rested: Map<string, number[]>;
  /** Work outside, by the call that has begun it. */
  readonly outside: Map<string, Outside>;
  /** Number of model calls since the last commit by owners after it, and that commit's epoch. */
  asked: number;
  committedEpoch: number;
  failures: Failures;
  /** Epoch ms since which its model is at times not asked, counted from the last reply; 0 if it is asked. */
  heldBackSince: number;
  /** HEAD was told of something whose wake may not be on the queue. Only the sweeper repairs that. */
  unsent: boolean;
  /** The message of the current holder is gone. Only the sweeper repairs that. */
  purged: boolean;
  /** Epoch ms at which all messages were last purged. */
  purgedAt: number;
  /** Seq of the last committed event when the delivery queue was last told. */
  delivered: number;
  /** Messages of the tool queue are gone: no more results come, and the batch is closed when it expires. */
  callsPurged: boolean;
  /** Calls that people have approved, and the answers to their decisions, by wait. */
  readonly approved: Set<string>;
  /** People's grants for future calls, by wait, and the calls that have started under each. */
  readonly granted: Map<string, Granted>;
  /** Epoch ms at which grants were revoked, by wait. */
  readonly revokedAt: Map<string, number>;
  /** A call's permission in the last slot of its reply. */
  readonly leaves: Map<string, { readonly runId: string; readonly leave: Leave }>;
  readonly decisionsTold: Map<string, { readonly approved: boolean; readonly callId: string }>;
  /** The time of the last wake without delay, and of the last removal of a wait. */
  wokenAt: number;
  takenOutAt: number;
  /** `once` calls that have started. */
  readonly startedOnce: Set<string>;
  /** Running queued calls by id: their latest end, and their invocation. */
  readonly running: Map<string, { readonly caller: Caller; readonly until: number }>;
  /** Invocations that have begun a queued call again when its result was there, each with the call's id. */
  readonly stood: Set<string>;
  /** Invocations that have begun a queued call, by wait. */
  readonly starters: Map<string, Set<string>>;
  /** Invocations that have put a wake on the queue. */
  readonly sentBy: Set<string>;
  /** The model's server wants no request before this time. */
  notBefore: number;
  /** The time at which it said so. */
  notBeforeSince: number;
  /** The first request without its messages, each time another agent has the session: by `holding` of it. */
  readonly pinned: Map<string, string>;
  /** Everything that its servers have served to it. */
  readonly served: Served;
  /** Tokens that owners have sent for a reply since the last commit, by epoch. */
  readonly sent: Map<number, () => number>;
  /** Requests to runs, by their events: the request and the run, once it has arrived. */
  readonly controls: Map<string, { readonly control: Control; readonly runId: string | undefined }>;
  /** Those that are no longer in an inbox. */
  readonly taken: Set<string>;
  /** Runs that have taken up a request to wrap up. */
  readonly wrapping: Set<string>;
  /**
   * Runs that have taken up a cancel of their parent, with the number of steps that they have committed since, that one
   * included.
   */
  readonly leaving: Map<string, number>;
  /** A cancel was requested, and no run has honoured it yet. */
  cancelled: boolean;
  /** Folds that were committed since the last reply. */
  folds: number;
  /** Number of consecutive runs that have ended with a full context. */
  fullRuns: number;
  /** Epoch of the last owner that was told to stop while a model made a summary or an assessment for it. */
  stoppedSummary: number;
  /** Slots that are in packs. */
  readonly packed: Set<number>;
  /** Whether such a version has ever had it. Its replies do not say over which fold they were made. */
  older: boolean;
  /** Event number at which a cancel that no run has honoured yet was acknowledged. */
  cancelToldAt: number | undefined;
  /** The same, in epoch ms. */
  cancelToldMs: number | undefined;
  /** The sessions that its calls have begun, and when batches with such calls were closed: event number and epoch ms; by call. */
  readonly children: Map<string, string>;
  /** The room of each of these sessions, and the slot of its call. */
  readonly rooms: Map<string, { readonly slot: number; readonly room: number }>;
  readonly closedCalls: Map<string, { readonly events: number; readonly at: number }>;
  /** Epoch ms at which children have answered, by call. */
  readonly answeredAt: Map<string, number>;
  /** Tokens that its runs have counted as used by such sessions. */
  readonly delegated: { input: number; output: number };
  /** Epoch ms at which sessions in the background were first to be stopped, by the ids of their calls' answers. */
  readonly stoppedBackground: Map<string, number>;
  /** Sessions below it that were alive at the same time, at most. */
  mostAlive: number;
}

/** A grant that came with a decision. */
export interface Granted {
  readonly grant: NewGrant;
  readonly tool: string;
  readonly run: string | undefined;
  /** Epoch ms. */
  readonly at: number;
  readonly calls: Set<string>;
}

/** An event that people send under one id, maybe with several texts. */
export interface SentEvent {
  /** The text that counts: the first one that arrived at the store; until then the first one sent. */
  text: string;
  arrived: boolean;
  /** The files that came with it, whatever its text. */
  readonly files: readonly SentFile[];
  /**
   * The time at which it was first sent, and at which a sender of that text was first told that it is accepted; epoch
   * ms.
   */
  readonly sentAt: number;
  toldAt: number | undefined;
  /** The event that it takes back. */
  readonly withdraws?: string;
}

export interface Durable {
  readonly runId: string;
  readonly step: number;
  /** Epoch of the owner that was the first to put it. */
  readonly epoch: number;
  readonly at: number;
  readonly text: string;
}

export interface CallFacts {
  readonly effect: string;
  readonly key: string;
  /** The time of its first start. */
  readonly since: number;
  starts: number;
}

/** A change of one HEAD. */
export interface HeadChange {
  readonly facts: SessionFacts;
  readonly before: Head;
  readonly after: Head;
  /** Set if a commit made the change. */
  readonly commit: CommitRequest | undefined;
  readonly now: number;
}

/** Invariants by name. Each describes what is wrong, or returns undefined. */
export type Checks<Seen> = Readonly<Record<string, (seen: Seen) => string | undefined>>;

export function createLedger(): Ledger {
  const ledger: Ledger = {
    sessions: new Map(),
    claims: new Map(),
    pushed: new Map(),
    received: new Map(),
    aims: new Map(),
    told: new Map(),
    early: new Map(),
    spoken: new Map(),
    calls: new Map(),
    books: new Map(),
    blobs: new Map(),
    memories: new Map(),
    reserved: new Map(),
    goneAsks: new Map(),
    violation: undefined,
    violate(invariant, message) {
      ledger.violation ??= { invariant, message };
    },
    facts({ tenant, sessionId }) {
      const key = { tenant, sessionId };
      const pk = `${key.tenant}#${key.sessionId}`;
      const known = ledger.sessions.get(pk);
      if (known) return known;
      const fresh = newFacts(key, pk);
      ledger.sessions.set(pk, fresh);
      return fresh;
    },
  };
  return ledger;
}

/** Runs all checks on an observation. */
export function check<Seen>(ledger: Ledger, checks: Checks<Seen>, seen: Seen): void {
  for (const name in checks) {
    const wrong = checks[name]?.(seen);
    if (wrong) ledger.violate(name, wrong);
  }
}

export const callKey = (pk: string, callId: string): string => `${pk}#${callId}`;

export const zeroTotals: Totals = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

const newFacts = (key: SessionKey, pk: string): SessionFacts => ({
  key,
  pk,
  buriedAt: undefined,
  slots: [],
  stored: [],
  prefixes: new Map(),
  noticed: new Map(),
  incorporated: new Map(),
  incorporatedAt: new Map(),
  totals: { ...zeroTotals },
  committedEpochs: new Set(),
  spareRefused: new Set(),
  committers: new Set(),
  lastCommit: undefined,
  finishedRuns: new Map(),
  endedRuns: new Set(),
  toldBefore: 0,
  committedFrames: new Set(),
  durable: new Map(),
  results: new Map(),
  settledFirst: new Set(),
  batches: new Map(),
  fenced: new Map(),
  log: new Map(),
  events: new Map(),
  files: new Map(),
  trees: new Map(),
  restored: false,
  edits: new Map(),
  verified: new Map(),
  heard: new Map(),
  handed: new Map(),
  rested: new Map(),
  outside: new Map(),
  asked: 0,
  committedEpoch: 0,
  failures: noFailures,
  heldBackSince: 0,
  unsent: false,
  purged: false,
  purgedAt: 0,
  delivered: 0,
  callsPurged: false,
  approved: new Set(),
  granted: new Map(),
  revokedAt: new Map(),
  leaves: new Map(),
  decisionsTold: new Map(),
  wokenAt: 0,
  takenOutAt: 0,
  startedOnce: new Set(),
  running: new Map(),
  stood: new Set(),
  starters: new Map(),
  sentBy: new Set(),
  notBefore: 0,
  notBeforeSince: 0,
  pinned: new Map(),
  served: newServed(),
  sent: new Map(),
  controls: new Map(),
  taken: new Set(),
  wrapping: new Set(),
  leaving: new Map(),
  cancelled: false,
  folds: 0,
  fullRuns: 0,
  stoppedSummary: 0,
  packed: new Set(),
  older: false,
  cancelToldAt: undefined,
  cancelToldMs: undefined,
  children: new Map(),
  rooms: new Map(),
  closedCalls: new Map(),
  answeredAt: new Map(),
  delegated: { input: 0, output: 0 },
  stoppedBackground: new Map(),
  mostAlive: 0,
});
