import type { WrapUpSummary } from '../../contract/events.ts';
import type { LastEnding, Reason, SessionKey, State, Totals, Usage } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import type { CallerFacts, KnownCallers } from './caller.ts';
import type { LastFold, MustFold } from './fold.ts';
import type { Handoff } from './handed-over.ts';
import type { Grant } from './leave.ts';
import type { Due } from './made.ts';
import { type Forked, ownStart } from './origin.ts';
import type { BackgroundChild, ParentCall } from './parent.ts';
import type { Mode, Proposed } from './proposals.ts';
import type { ServerRulesKnown } from './server-rules.ts';
import type { InputTurn } from './slots.ts';
import type { Slices } from './verdict.ts';
import type { OpenBatch } from './waits.ts';

/** The run of a session that has one. */
export function runOf(session: Session) {
  if (!session.run) throw new Error('the session has no run');
  return session.run;
}

/**
 * The committed state of a session, as the loop sees it: the part of HEAD that decisions are functions of. The fields that
 * fence one owner from another (epoch, lease, attempts) belong to the store and are in {@link Claim}.
 */
export interface Session extends Forked {
  readonly key: SessionKey;
  readonly agent: string;
  /** Subject of the person who began it, if people sign in: it decides for users who see only their own sessions. */
  readonly user?: string;
  /** Content hash of the pinned definition (docs/design.md: history is byte-stable). */
  readonly definition: string;
  /** How many slots are committed. Readers use only slots below it. */
  readonly version: number;
  /**
   * First slot of the model's context: people still read what is before it, and the model no longer does. A step that moves it
   * begins a new prefix: nothing of it is cached, and it has no earlier thinking.
   */
  readonly contextStart: number;
  /** The last fold, with which the model's context begins. Absent while the context is the whole conversation. */
  readonly fold?: LastFold;
  /** Set if the next step must fold before it asks, whatever the size. It outlives the end of a run, so that the next message works. */
  readonly mustFold?: MustFold;
  /** Where the packs of its slots are; absent until it has one. */
  readonly packed?: Packed;
  /** Hash of the tree of its workspace (docs/workspace.md); absent while it has never had a file. */
  readonly workspace?: string;
  readonly state: State;
  readonly reason?: Reason;
  /** The active run, or the last one. */
  readonly run?: Run;
  /** How the last finished run ended; the current run does not affect it. */
  readonly lastEnding?: LastEnding;
  /** The batch that the run waits on: its reply is committed, and some of its results are missing. */
  readonly batch?: OpenBatch;
  /** Requirements of its models' servers, revealed by refused requests. Absent while there are none. */
  readonly serverRules?: ServerRulesKnown;
  /** Permissions of people for later calls (docs/leave.md), in the order in which they were given. */
  readonly grants?: readonly Grant[];
  /** `plan`: changes are proposed instead of made (docs/plan-mode.md). Absent in a session that acts. */
  readonly mode?: Mode;
  /** Its proposals that people have not been asked about. They outlive the end of a run: the next one continues with them. */
  readonly proposed?: Proposed;
  readonly totals: Totals;
  /** The part of `totals.costUsd` that sessions below it have used. Absent if none has told. */
  readonly delegatedUsd?: number;
  readonly metadata: { readonly guardrails: Slices };
  /** Texts that guards tell the model at the next step: stored, so that a retry tells the same. */
  readonly nudges: readonly InputTurn[];
  /** The last cancel that an end of a run has honoured: a higher `cancelGen` on HEAD cancels this run. */
  readonly cancelSeen: number;
  /** Seq of the last committed event frame. */
  readonly eventSeq: number;
  /** Set at creation if there are external listeners (Slack, a callback URL): the delivery queue is told of each commit. */
  readonly outbound: boolean;
  /** The call that it works for. Absent in a session that was begun from outside. */
  readonly parent?: ParentCall;
  /** The sessions that work for it in the background and have not reported. Absent if there are none. */
  readonly background?: readonly BackgroundChild[];
  /** The agents that have given it away, oldest first (docs/handoffs.md). Absent if its first agent has it. */
  readonly handoffs?: readonly Handoff[];
  /** Runs in a row that reports of those have begun, and no message from outside. Absent if there are none. */
  readonly unprompted?: number;
}

/**
 * Runs of committed slots are also stored together in packs, deflated, so that a step reads a long context in few units, and a
 * warm worker reads only new slots (docs/adr/0015-packs.md). Each slot also has its own item.
 */
export interface Packed {
  /** Names this session's packs, and not those of a deleted session that had the same key. */
  readonly id: string;
  /** Slots below it are in packs, except those that are too large for one. */
  readonly below: number;
}

/** The message that begins a session, as far as its agent's functions are told of it (`define/session-facts.ts`). */
export interface FirstMessage {
  /** Epoch ms. */
  readonly at: number;
  /** Subject of the sender. */
  readonly by?: string;
  readonly caller?: CallerFacts;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Properties that are decided when a session is created, and stay. */
export interface SessionOptions {
  /** {@link Session.outbound}; false when absent. */
  readonly outbound?: boolean;
  /** {@link Session.mode}. */
  readonly mode?: Mode | undefined;
  /** {@link Session.user}. */
  readonly user?: string | undefined;
  /** {@link Session.parent}. */
  readonly parent?: ParentCall;
  /** Its first message; needed if instructions or model of its agent are functions of facts. */
  readonly first?: FirstMessage;
}

/** From one outside event to a terminal or waiting state. */
export interface Run extends KnownCallers {
  readonly id: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Time spent waiting for people, in ms; the timeout does not count it. */
  readonly pausedMs: number;
  /** Committed model calls of this run. */
  readonly steps: number;
  readonly toolCalls: number;
  /** Failed tries at the next step: failed model calls, calls that were not made, and batches that were left for lack of time. */
  readonly retries: number;
  /**
   * Tries among `retries` that do not count for a while: model calls that were not made because of a rate limit that others had
   * met (`Failure.unasked`), and rate limits before them. Also since when, in epoch ms. Absent if there were none.
   */
  readonly unasked?: { readonly times: number; readonly since: number };
  /** Failed model calls that were rate limits: they are counted separately. */
  readonly rateLimits: number;
  /** Folds since the last reply: they are not steps of the run. */
  readonly folds: number;
  /** Epoch ms of the first failure of an outage, since the last reply; 0 if there is none. */
  readonly failingSince: number;
  /**
   * The same for its tool sources, which are another service than the model: how often listing failed, and since when. Absent
   * once it succeeds.
   */
  readonly unlisted?: { readonly times: number; readonly since: number };
  /** Time in model calls and tools, in ms, without waits on the queue or for people. */
  readonly activeMs: number;
  /** The model that replied last, by its server's name for it. Absent before the first reply, and on runs of older versions. */
  readonly model?: string;
  /** The number of the fallback that is asked, from 1; absent while it is the run's own model. */
  readonly fallback?: number;
  /** How often it has continued after waiting for people: each time begins an AG-UI run. */
  readonly resumes: number;
  readonly ended: boolean;
  /** How often an agent has given it to another. Absent if none has. */
  readonly handoffs?: number;
  /** A call that the system makes next, unless a message arrives before. */
  readonly due?: Due;
  readonly totals: Totals;
  /** The part of `totals` that sessions have used which it has begun. Absent if none has told. */
  readonly delegated?: Totals;
  /** The summary that it has given, if it went on after that. */
  readonly summary?: WrapUpSummary;
  /** Subjects of the people whose messages it has read (`may-decide.ts`). Absent on runs of older versions. */
  readonly requesters?: readonly string[];
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
export const noTotals: Totals = { ...noUsage, costUsd: 0 };

/** A run that has not begun. */
export const newRun: Run = {
  id: '',
  startedAt: 0,
  pausedMs: 0,
  steps: 0,
  toolCalls: 0,
  retries: 0,
  rateLimits: 0,
  folds: 0,
  failingSince: 0,
  activeMs: 0,
  resumes: 0,
  ended: false,
  totals: noTotals,
};

/** A new session, before any event. */
export function newSession(
  key: SessionKey,
  agent: string,
  definition: string,
  { outbound = false, mode, user, parent }: SessionOptions = {},
): Session {
  return {
    key,
    agent,
    definition,
    version: 0,
    contextStart: 0,
    state: 'idle',
    totals: noTotals,
    metadata: { guardrails: {} },
    nudges: [],
    cancelSeen: 0,
    eventSeq: 0,
    outbound,
    ...defined({ mode }),
    ...(user && { user }),
    ...defined({ parent }),
  };
}

/** The session with defaults for fields that an older version did not know, so that it never crashes a new deploy. */
export function withDefaults(session: Session): Session {
  const { key, agent, definition, run } = session;
  const metadata = { guardrails: session.metadata?.guardrails ?? {} };
  return {
    ...newSession(key, agent, definition),
    ...session,
    metadata,
    ...(run && { run: { ...newRun, ...run } }),
  };
}

/** First slot that a step needs: where the model's context begins, or the reply whose batch is open. */
export const firstRead = ({ contextStart, batch }: Pick<Session, 'contextStart' | 'batch'>): number =>
  Math.min(contextStart, batch?.slot ?? contextStart);

/** First slot that a step reads in parallel with its claim: earlier slots are in packs, or in the session that this one was forked from. */
export const tailStart = (session: Pick<Session, 'contextStart' | 'batch' | 'packed' | 'origin'>): number =>
  Math.max(firstRead(session), session.packed?.below ?? 0, ownStart(session));

/** Tokens that count against a token budget: input and output, without cache counts. */
export const totalTokens = (totals: Usage): number => totals.input + totals.output;

/** A copy of `session` with its run changed. The session must have one. */
export function withRun(session: Session, change: Partial<Run>): Session {
  if (!session.run) throw new Error('the session has no run');
  return { ...session, run: { ...session.run, ...change } };
}
