import type { Reason } from '../../contract/session.ts';
import type { WaitKind } from '../../contract/waits.ts';
import { own } from '../plain/merge.ts';
import type { CallerFacts } from './caller.ts';
import type { Leaves, NewGrant, SaidToCalls } from './leave.ts';
import type { ToolResult } from './slots.ts';
import type { ResultNote } from './verdict.ts';

/** A call that guards have refused, while a person is asked. */
export interface RefusedCall {
  readonly guards: readonly string[];
  /** The text of its result if there is no decision. */
  readonly result: string;
}

/**
 * A batch with missing results. Its reply is the slot `slot`, committed; the next slot is written when every call has its
 * result. Until then the run uses no compute.
 */
export interface OpenBatch {
  readonly slot: number;
  /**
   * Its open waits: first for people, then, after their decisions, for queued calls, and then for answers from outside. Never
   * for two of these at once.
   */
  readonly waits: readonly Wait[];
  /** Epoch ms at which the wait began. */
  readonly since: number;
  /** Guards' notes on results that do not exist yet, by call. */
  readonly notes?: Readonly<Record<string, ResultNote>>;
  /** Calls that guards have refused, and that a person may let run. */
  readonly refused?: Readonly<Record<string, RefusedCall>>;
  /**
   * Results of calls that were not run and will not be. They are part of the commit, and not stored beside it as the others
   * are: of stored results the first one stands, and an owner whose commit failed would then override one that has started the
   * call.
   */
  readonly unrun?: readonly ToolResult[];
  /**
   * Calls that have run and are answered later. Each becomes a wait when the rest of the batch is done. Those that are settled by
   * now stay, so that no result that a worker has stored counts in place of their answer.
   */
  readonly deferred?: readonly ToolResult[];
  /** Answers of people to calls that asked them while running, by call: the calls run again with the answers. */
  readonly answers?: Readonly<Record<string, readonly string[]>>;
  /** Calls that ran from the queue before the current wait. */
  readonly queued?: readonly string[];
  /** Decisions on its calls; only for calls on which there was a decision. */
  readonly leaves?: Leaves;
  /** The people who denied calls of it, or answered their questions, before the current wait. */
  readonly saidTo?: SaidToCalls;
  /** The note that people wrote with their decision, if the batch is a plan. */
  readonly note?: string;
  /** Calls whose results clients have been told. */
  readonly told?: readonly string[];
  /** Set when its run was asked to wrap up: its children have been asked too, and its waits end in time. */
  readonly wrapsUp?: true;
  /** Requests to people of the sessions below this one, as it has last seen them. They are decided in the sessions that ask. */
  readonly asks?: readonly Ask[];
}

/** Something that a session below this one asks people (docs/children.md). */
export interface Ask
  extends Pick<Wait, 'id' | 'callId' | 'kind' | 'tool' | 'changes' | 'message' | 'expiresAt'> {
  /** The call of this session that is being worked on. */
  readonly callId: string;
  /** The session that asks, and its agent. */
  readonly child: string;
  readonly agent: string;
  /** Approving it may also allow later calls like it. */
  readonly grantable?: true;
}

/** One call that something outside the step must settle. */
export interface Wait {
  /**
   * Bound to the session, the slot, the call and its arguments, for an approval as the tool reads them: a decision on it
   * applies to exactly this.
   */
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  /**
   * `approval`: may it run? `question`: a person's answer is its result. `call`: it runs from the tool queue. `callback`: it
   * has run, and the holder of its token answers. `page`: the page that offers its tool answers. `child`: it has run, and the
   * session that it has begun answers. `timer`: it has run, and its time comes. `plan`: which calls of the batch may run?
   */
  readonly kind: WaitKind;
  /** For a child: its session. */
  readonly child?: string;
  /** The first good answer of such waits of the batch ends the others. */
  readonly races?: true;
  /** For a plan: the tool of each change, in order. `callId` is that of the first. */
  readonly changes?: readonly string[];
  /** A question of the call's own: it runs again with the answer. */
  readonly again?: true;
  /** The question to a person: plain text, in lines. */
  readonly message: string;
  /** Epoch ms; from then on it counts as denied, unanswered or lost, and a timer is over. */
  readonly expiresAt: number;
}

/** Rules for all waits of a kind. */
interface WaitRule {
  /** The party that settles it: a person, a worker of the tool queue, an answer from elsewhere, or only its time. */
  readonly settledBy: 'person' | 'worker' | 'answer' | 'time';
  /** Events that end it early: a message of a person who may answer, or anything that comes in for the session. */
  readonly endsWith?: 'answer' | 'news';
  /** Whether a person says yes or no. */
  readonly isApproval?: true;
  /** Why a run waits that has only such waits; absent for the tool queue, which is part of its own work. */
  readonly reason?: Reason;
}

const rules: Readonly<Record<Wait['kind'], WaitRule>> = {
  approval: { settledBy: 'person', isApproval: true, reason: 'awaiting_approval' },
  plan: { settledBy: 'person', isApproval: true, reason: 'awaiting_approval' },
  question: { settledBy: 'person', endsWith: 'answer', reason: 'awaiting_user' },
  call: { settledBy: 'worker' },
  callback: { settledBy: 'answer', reason: 'awaiting_callback' },
  page: { settledBy: 'answer', endsWith: 'answer', reason: 'awaiting_callback' },
  child: { settledBy: 'answer', reason: 'awaiting_child' },
  timer: { settledBy: 'time', endsWith: 'news', reason: 'awaiting_timer' },
};

/** Events that end a wait before it is settled. */
export const endsWith = ({ kind }: Pick<Wait, 'kind'>): WaitRule['endsWith'] => rules[kind].endsWith;

/** Reasons from the one that matters most to people. */
const byWeight: readonly Reason[] = [
  'awaiting_approval',
  'awaiting_user',
  'awaiting_callback',
  'awaiting_child',
];

/** The reason of a run with these open waits. */
export function reasonOf(waits: readonly Pick<Wait, 'kind'>[]): Reason {
  const reasons = waits.map(({ kind }) => rules[kind].reason);
  return byWeight.find((reason) => reasons.includes(reason)) ?? 'awaiting_timer';
}

/** A person's decision. */
export interface Decision {
  readonly approved: boolean;
  /** The person, as the edge has verified them. */
  readonly by: string;
  /** How they were verified, and which way it came; absent on decisions of older versions. */
  readonly caller?: CallerFacts;
  /** Epoch ms. */
  readonly at: number;
  /** The answer to a question, or the reason of a refusal that the model is told. */
  readonly note?: string;
  /** A permission beyond this call. */
  readonly grant?: NewGrant;
  /** For a plan: the numbers of the approved changes, from 1; all of them when absent. */
  readonly changes?: readonly number[];
}

/** A queued call that a worker has begun. */
export interface CallStart {
  readonly invocationId: string;
  /** Epoch ms at which its worker has given up, or its platform kills it: another one may then begin the call. */
  readonly until: number;
  /** Another worker has begun it before: a result that it stored, or an answer to it, may still be found. */
  readonly again?: true;
}

/** Ids of the calls that run from the queue, or have; the others of the batch have run in a step. */
export const queuedIn = (batch: OpenBatch | undefined): ReadonlySet<string> =>
  new Set([
    ...(batch?.queued ?? []),
    ...(batch?.waits.flatMap(({ kind, callId }) => (kind === 'call' ? [callId] : [])) ?? []),
  ]);

/** Whether the run waits for something outside: for people, or for the answer to a call. Only the end of the wait is due then. */
export const waitsOutside = ({ batch }: { readonly batch?: OpenBatch }): boolean =>
  batch?.waits.some(({ kind }) => kind !== 'call') ?? false;

/** Whether the wait is for an approval: of a call, or of the changes of a plan. */
export const isApproved = (kind: string): boolean => own(rules, kind)?.isApproval ?? false;

/** Whether a person settles it. */
export const isForPeople = ({ kind }: Pick<Wait, 'kind'>): boolean => rules[kind].settledBy === 'person';

/** Whether an answer from elsewhere settles it: of the holder of a token, of a page, or of a child. */
export const isAnswered = ({ kind }: Pick<Wait, 'kind'>): boolean => rules[kind].settledBy === 'answer';

/** Whether the run waits for a session that it has begun. */
export const waitsForChildren = ({ batch }: { readonly batch?: OpenBatch }): boolean =>
  batch?.waits.some(({ kind }) => kind === 'child') ?? false;

/** Whether the first good answer ends the other waits. */
export const races = ({ batch }: { readonly batch?: OpenBatch }): boolean =>
  batch?.waits.some((wait) => wait.races) ?? false;

/** Ids of all that people are asked here: by this session, or by sessions below it. */
export const askedOf = ({ batch }: { readonly batch?: OpenBatch }): readonly string[] =>
  batch ? [...batch.waits.filter(isForPeople), ...(batch.asks ?? [])].map(({ id }) => id) : [];

/** Epoch ms at which the first of the waits expires. */
export const firstExpiry = (waits: readonly Wait[]): number =>
  Math.min(...waits.map(({ expiresAt }) => expiresAt));
