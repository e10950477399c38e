import type { LastEnding, Reason, SessionKey, State, Totals, Usage } from '../../contract/session.ts';
import type { CallerFacts, KnownCallers } from './caller.ts';
import type { LastFold, MustFold } from './fold.ts';
import type { Grant } from './leave.ts';
import type { Due } from './made.ts';
import { type Forked, ownStart } from './origin.ts';
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
 * The committed state of a session, as the loop sees it: the part of HEAD that decisions are functions of.
 * What fences one owner from another (epoch, lease, attempts) is the store's and stands in {@link Claim}.
 */
export interface Session extends Forked {
  readonly key: SessionKey;
  readonly agent: string;
  /** Subject of the person who has begun it, where people sign in: whoever sees only their own goes by it. */
  readonly user?: string;
  /** Content hash of the pinned definition (docs/design.md: history is byte-stable). */
  readonly definition: string;
  /** How many slots are committed. Readers use only slots below it. */
  readonly version: number;
  /**
   * First slot of the model's context: what is before it is part of the conversation that people read, and the model reads it
   * no more. Who moves it begins a new prefix: nothing is cached of it, and thinking from before is not in it.
   */
  readonly contextStart: number;
  /** The last fold: with it the model's context begins. Absent while that is the whole conversation. */
  readonly fold?: LastFold;
  /** Set when the next step must fold before it asks, whatever the size. It outlives the end of a run, so that the next message works. */
  readonly mustFold?: MustFold;
  /** Where the packs of its slots are; absent until it has one. */
  readonly packed?: Packed;
  /** Hash of the tree of its workspace (docs/workspace.md); absent while it has never had a file. */
  readonly workspace?: string;
  readonly state: State;
  readonly reason?: Reason;
  /** The run that is going, or the last one. */
  readonly run?: Run;
  /** How the last run that ended did: of the run that is going, nothing yet. */
  readonly lastEnding?: LastEnding;
  /** The batch that the run waits on: its reply is committed, and its results are not all there. */
  readonly batch?: OpenBatch;
  /** What the servers of its models want, as refused requests have taught. Absent while nothing has. */
  readonly serverRules?: ServerRulesKnown;
  /** What people have allowed for calls to come (docs/leave.md), in the order in which they did. */
  readonly grants?: readonly Grant[];
  /** `plan`: changes are proposed and not made (docs/plan-mode.md). Absent in a session that acts. */
  readonly mode?: Mode;
  /** What it has proposed, and nobody has been asked about. It outlives the end of a run: the next one goes on with it. */
  readonly proposed?: Proposed;
  readonly totals: Totals;
  readonly metadata: { readonly guardrails: Slices };
  /** What guards want the model told at the next step: persisted, so that a retry tells the same. */
  readonly nudges: readonly InputTurn[];
  /** The last cancel that an end of a run has honoured: a higher `cancelGen` on HEAD cancels this run (A2). */
  readonly cancelSeen: number;
  /** Seq of the last committed event frame. */
  readonly eventSeq: number;
  /** Somebody outside listens (Slack, a callback URL): each commit is told to the delivery queue. Set at creation. */
  readonly outbound: boolean;
}

/**
 * Runs of committed slots lie together in packs besides, deflated, so that a step reads a long context in few units, and a
 * warm worker only what is new (docs/adr/0015-packs.md). Each slot is in its own place as well.
 */
export interface Packed {
  /** Names this session's packs, and none of a session that was deleted and had its key. */
  readonly id: string;
  /** Slots below it are in packs, but for those that are too large for one. */
  readonly below: number;
}

/** The message that begins a session, as far as its agent's functions of facts are told (`define/session-facts.ts`). */
export interface FirstMessage {
  /** Epoch ms. */
  readonly at: number;
  /** Subject of the sender. */
  readonly by?: string;
  readonly caller?: CallerFacts;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** What is decided when a session is made, and stays. */
export interface SessionOptions {
  /** {@link Session.outbound}; false when absent. */
  readonly outbound?: boolean;
  /** {@link Session.mode}. */
  readonly mode?: Mode | undefined;
  /** {@link Session.user}. */
  readonly user?: string | undefined;
  /** Its first message; needed where instructions or model of its agent are functions of facts. */
  readonly first?: FirstMessage;
}

/** From one outside event to a terminal or waiting state. */
export interface Run extends KnownCallers {
  readonly id: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Time spent waiting for people, in ms; not counted by the timeout (A3). */
  readonly pausedMs: number;
  /** Committed model calls of this run (A4). */
  readonly steps: number;
  readonly toolCalls: number;
  /** Tries at the next step that came to nothing: failed model calls (A8), those that were not made, and batches left for want of time. */
  readonly retries: number;
  /**
   * Of these, those that count as no try, for a while: model calls that were not made, because of a rate limit that others had met
   * (`Failure.unasked`), and rate limits before them. And since when, epoch ms. Absent when there was none.
   */
  readonly unasked?: { readonly times: number; readonly since: number };
  /** Of the failed model calls, those that were rate limits: they are counted apart (A8). */
  readonly rateLimits: number;
  /** Folds since the last reply: they are no steps of the run. */
  readonly folds: number;
  /** Epoch ms of the first failure of an outage, since the last reply; 0 = there is none. */
  readonly failingSince: number;
  /** The same of its tool sources, another service than the model: how often they could not list, and since when. Absent once they have. */
  readonly unlisted?: { readonly times: number; readonly since: number };
  /** Time in model calls and tools, in ms: without waits on the queue or for people (L7). */
  readonly activeMs: number;
  /** Which model has answered last, as its server calls it. Absent before the first reply, and on runs from before this was kept. */
  readonly model?: string;
  /** Which of the definition's fallbacks is asked, from 1; absent while it is its own model (T14). */
  readonly fallback?: number;
  /** How often it has gone on after waiting for people: each is an AG-UI run of its own. */
  readonly resumes: number;
  readonly ended: boolean;
  /** A call that the system makes next, unless people say something before. */
  readonly due?: Due;
  readonly totals: Totals;
  /** Subjects of those whose messages it has read (`may-decide.ts`). Absent on runs from before this was kept. */
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

/** A session that nothing has happened to. */
export function newSession(
  key: SessionKey,
  agent: string,
  definition: string,
  { outbound = false, mode, user }: SessionOptions = {},
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
    ...(mode && { mode }),
    ...(user && { user }),
  };
}

/** The session with what an older version did not know filled in, so that it never crashes a new deploy (A17). */
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

/** First slot that a step reads beside its claim: what it needs of those before it is in packs, or in the session that this one is a fork of. */
export const tailStart = (session: Pick<Session, 'contextStart' | 'batch' | 'packed' | 'origin'>): number =>
  Math.max(firstRead(session), session.packed?.below ?? 0, ownStart(session));

/** Tokens that count against a token budget: input and output; cache counts are separate (A9). */
export const totalTokens = (totals: Usage): number => totals.input + totals.output;

/** A copy of `session` with its run changed. The session must have one. */
export function withRun(session: Session, change: Partial<Run>): Session {
  if (!session.run) throw new Error('the session has no run');
  return { ...session, run: { ...session.run, ...change } };
}
