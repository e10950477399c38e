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

/** What a simulation knows to be true, kept beside the system and never read by it: what the invariants ask. */
export interface Ledger {
  readonly sessions: Map<string, SessionFacts>;
  /** By the id of the invocation that holds or held it. */
  readonly claims: Map<string, Claim>;
  /** Ids of the messages that invocations were started with. */
  readonly received: Map<string, string>;
  /** What invocations try to claim, and sessions of which they begin a queued call. */
  readonly aims: Map<string, Aim>;
  /** What invocations were told when they tried to claim, and of a session that was not due yet what it waits for, and until when. */
  readonly told: Map<string, Told>;
  readonly early: Map<string, { readonly pending: readonly string[]; readonly dueAt: number }>;
  /** Text that the model has said so far, by session and message: `pk#messageId`. */
  readonly spoken: Map<string, string>;
  /** Unsafe and other calls that have started, by {@link callKey}. */
  readonly calls: Map<string, CallFacts>;
  /** Of each tenant and day. */
  readonly books: Map<string, Books>;
  /** What has come to the store of blobs, by key. */
  readonly blobs: Map<string, Uint8Array>;
  /** Facts by their owner. */
  readonly memories: Map<string, OwnedFacts>;
  /** What an invocation has reserved and not used yet. */
  readonly reserved: Map<string, { readonly day: BudgetDay; readonly amount: Amount }>;
  /** The first broken invariant. */
  violation: Violation | undefined;
  violate(invariant: string, message: string): void;
  facts(key: SessionKey): SessionFacts;
}

/** A session that an invocation tries to claim, or whose queued call it tries to begin; and its message. */
export interface Aim {
  readonly pk: string;
  readonly messageId: string;
  readonly waitId?: string;
}

export interface Told {
  readonly answer: string;
  /** Events that had happened when the store gave this answer, which may have come much later. */
  readonly at: number;
}

export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

/** One invocation's hold on a session. */
export interface Claim {
  readonly epoch: number;
  readonly key: SessionKey;
  readonly pk: string;
  /** HEAD as the claim left it. */
  readonly head: Head;
  /** The inbox as it was told of it: a claim that is sent again is told of what has come since. */
  inbox: readonly string[];
  /** Events of the simulation that had happened when the invocation began. */
  readonly beganAt: number;
  /** Events that had happened when it claimed. */
  readonly claimedAt: number;
  /** When it was told that it must stop: nothing new may start after that. */
  stopKnownAt: number | undefined;
  /** It runs a version that knows nothing of folds and packs. */
  readonly older: boolean;
  /** The invocation was told that it holds the session. */
  answered: boolean;
  /** Its model call or its listing failed, and how. */
  failed: CallFailure | undefined;
  failedAt: number;
  /** Its model was not asked, because of a rate limit that others had met. */
  unasked: boolean;
  /** The model's server wants not to be asked before. */
  waitUntil: number;
  /** It has committed a batch that waits for answers from outside. */
  waitsForAnswers: boolean;
  /** Logical sends of wakes by this invocation. */
  sends: number;
  /** Ids of unsafe calls that ended here and are not yet sent to the store. */
  readonly unkept: Set<string>;
  /** Claims since the last commit that came to nothing, and whether they are charged: not every agent does that. */
  readonly died: number;
  charges: boolean;
  /** Tokens that those have sent to the model in vain, once it is known how much this step sends. */
  lost: number | undefined;
  /** What its own model call has used, by what its server has told: it is sold, also when no reply comes of it. */
  used: { readonly input: number; readonly output: number } | undefined;
  /** Calls that have started here, in that order. */
  readonly turns: Map<string, Turn>;
  /** Ids of calls whose answer from outside, or what came in its place, stood when it claimed. */
  readonly settled: ReadonlySet<string>;
  /** Events that had happened when its model call was over; 0 when it has made none. */
  repliedAt: number;
}

/** Attempts that died and whose model calls are charged to the step of a claim. */
export const chargedDeaths = ({ died, charges }: Claim): number => (charges ? died : 0);

/** A call that has started in a step. */
export interface Turn {
  /** It is no mere read. */
  readonly changes: boolean;
  /** The one file that it is about; absent where its tool does not say. */
  readonly file?: string;
  over: boolean;
  /** Events that had happened when its step waited for it no longer; 0 until then. */
  overAt: number;
}

export interface SessionFacts {
  readonly key: SessionKey;
  readonly pk: string;
  /** Epoch ms at which it was deleted. */
  buriedAt: number | undefined;
  /** JSON of every committed slot, as it was when it was committed. */
  readonly slots: string[];
  /** The same, parsed. */
  readonly stored: Slot[];
  /** What of each slot was sent to the model, by its model and the fold with which the request began, and by slot. */
  readonly prefixes: Map<string, Map<number, readonly string[]>>;
  /** Slots of which notices were sent last, and what of them was left out. */
  readonly noticed: Map<number, string>;
  /** Slot in which an event is. */
  readonly incorporated: Map<string, number>;
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
  /** Results of unsafe calls in the store: when they came. */
  readonly results: Map<string, number>;
  /** When the first batch was put into a slot. */
  readonly batches: Map<number, number>;
  /** Unsafe calls on record, and since when. */
  readonly fenced: Map<string, number>;
  /** Frames in the log by their seq, and when they came there. */
  readonly log: Map<number, Frame & { readonly at: number }>;
  readonly events: Map<string, SentEvent>;
  /** Its files as they are committed, by path, and every run of a tool that has worked on them, by call. */
  files: ReadonlyMap<string, string>;
  /** The same by the hash of the tree that was named for them. */
  readonly trees: Map<string, ReadonlyMap<string, string>>;
  /** They were set back, and the model has not been told yet. */
  restored: boolean;
  readonly edits: Map<string, EditRun[]>;
  /** What each call of the system has verified, each time that it has run: the files as it has read them. */
  readonly verified: Map<string, string[]>;
  /** What people have answered to the questions of calls. */
  readonly heard: Map<string, string[]>;
  /** Calls that were handed to services outside. */
  readonly handed: Map<string, Handed>;
  /** Model calls since the last commit, by owners since then; and that one's epoch. */
  asked: number;
  committedEpoch: number;
  failures: Failures;
  /** Epoch ms since which its model is not asked, at times, since the last reply; 0 when it is. */
  heldBackSince: number;
  /** HEAD was told of something whose wake may not be on the queue: only the sweeper repairs that. */
  unsent: boolean;
  /** The message of who holds it is gone: nobody but the sweeper repairs that. */
  purged: boolean;
  /** Seq of the last committed event when the delivery queue was last told. */
  delivered: number;
  /** Messages of the tool queue are gone: results come no more, and the batch is closed when it expires. */
  callsPurged: boolean;
  /** Calls that people have approved, and what they were told of their decisions, by wait. */
  readonly approved: Set<string>;
  /** What people have granted for calls to come, by wait, and which calls have started under it. */
  readonly granted: Map<string, Granted>;
  /** Epoch ms at which grants were taken back, by wait. */
  readonly revokedAt: Map<string, number>;
  /** What the last slot of its reply says of a call. */
  readonly leaves: Map<string, { readonly runId: string; readonly leave: Leave }>;
  readonly decisionsTold: Map<string, { readonly approved: boolean; readonly callId: string }>;
  /** When a wake was last sent that is to come at once, and when the last wait was last taken out. */
  wokenAt: number;
  takenOutAt: number;
  /** `once` calls that have started. */
  readonly startedOnce: Set<string>;
  /** Queued calls that run: until when at most, and in which invocation, by id. */
  readonly running: Map<string, { readonly caller: Caller; readonly until: number }>;
  /** Invocations that have begun a queued call again when its result stood, each with the call's id. */
  readonly stood: Set<string>;
  /** Invocations that have begun a queued call, by wait. */
  readonly starters: Map<string, Set<string>>;
  /** Invocations that have put a wake on the queue. */
  readonly sentBy: Set<string>;
  /** The model's server does not want to be asked before this moment. */
  notBefore: number;
  /** When it said so. */
  notBeforeSince: number;
  /** What the first request said beside its messages. */
  pinned: string | undefined;
  /** What its servers have served to it. */
  readonly served: Served;
  /** Tokens that owners have sent for a reply since the last commit, by epoch. */
  readonly sent: Map<number, () => number>;
  /** What runs are asked to do: of each event what, and which run, once it has arrived. */
  readonly controls: Map<string, { readonly control: Control; readonly runId: string | undefined }>;
  /** Those of them that are in no inbox any more. */
  readonly taken: Set<string>;
  /** Runs that have taken up that they are to wrap up. */
  readonly wrapping: Set<string>;
  /** Runs that have taken up that their parent was cancelled, and how many steps they have committed since and with it. */
  readonly leaving: Map<string, number>;
  /** Somebody has cancelled, and no run has honoured it yet. */
  cancelled: boolean;
  /** Folds that were committed since the last reply. */
  folds: number;
  /** Runs in a row that have ended with a full context. */
  fullRuns: number;
  /** Epoch of the last owner who was told to stop while a model summed up for it. */
  stoppedSummary: number;
  /** Slots that are in packs. */
  readonly packed: Set<number>;
  /** Such a version has had it once: what it keeps of a reply does not say over which fold that was thought. */
  older: boolean;
  /** Events that had happened when somebody was told so of a cancel that no run has honoured yet. */
  cancelToldAt: number | undefined;
  /** The same, in epoch ms. */
  cancelToldMs: number | undefined;
}

/** What somebody has granted with a decision. */
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
  /** The text that counts: the first one that arrived at the store; until one has, the first one sent. */
  text: string;
  arrived: boolean;
  /** What came with it, whatever its text. */
  readonly files: readonly SentFile[];
  /** When it was first sent, and when a sender of that text was first told that it is accepted; epoch ms. */
  readonly sentAt: number;
  toldAt: number | undefined;
}

export interface Durable {
  readonly runId: string;
  readonly step: number;
  /** Of the owner who was the first to put it. */
  readonly epoch: number;
  readonly at: number;
  readonly text: string;
}

export interface CallFacts {
  readonly effect: string;
  readonly key: string;
  /** When it first started. */
  readonly since: number;
  starts: number;
}

/** A change of one HEAD. */
export interface HeadChange {
  readonly facts: SessionFacts;
  readonly before: Head;
  readonly after: Head;
  /** Set when a commit did it. */
  readonly commit: CommitRequest | undefined;
  readonly now: number;
}

/** Invariants by name: each says what is wrong, or nothing. */
export type Checks<Seen> = Readonly<Record<string, (seen: Seen) => string | undefined>>;

export function createLedger(): Ledger {
  const ledger: Ledger = {
    sessions: new Map(),
    claims: new Map(),
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

/** Runs all checks on what was seen. */
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
  asked: 0,
  committedEpoch: 0,
  failures: noFailures,
  heldBackSince: 0,
  unsent: false,
  purged: false,
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
  pinned: undefined,
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
});
