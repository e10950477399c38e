import type { Leaves, NewGrant, SaidToCalls } from './leave.ts';
import type { ToolResult } from './slots.ts';
import type { ResultNote } from './verdict.ts';

/** A call that guards have refused, while a person is asked. */
export interface RefusedCall {
  readonly guards: readonly string[];
  /** What its result says when nobody decides. */
  readonly result: string;
}

/**
 * A batch whose results are not all there. Its reply is the slot `slot`, committed; the slot after it is written when
 * every call has its result. Until then the run holds no compute (A18).
 */
export interface OpenBatch {
  readonly slot: number;
  /** What it waits for: people first, when they have decided queued calls, and then answers from outside. Never two of these at once. */
  readonly waits: readonly Wait[];
  /** Epoch ms at which the wait began. */
  readonly since: number;
  /** What guards have to say on results that are not there yet, by call. */
  readonly notes?: Readonly<Record<string, ResultNote>>;
  /** Calls that guards have refused, and that a person may let run. */
  readonly refused?: Readonly<Record<string, RefusedCall>>;
  /**
   * Results of calls that were not run and will not be. They are said with the commit, and not kept beside it as the others
   * are: of those the first one stands, and an owner that came to nothing would speak for one that has started the call.
   */
  readonly unrun?: readonly ToolResult[];
  /** Calls that have run and are answered later. Each becomes a wait when nothing else of the batch is left to do. */
  readonly deferred?: readonly ToolResult[];
  /** What people have answered to calls that asked them in the middle, by call: they run again with it. */
  readonly answers?: Readonly<Record<string, readonly string[]>>;
  /** Calls that have run from the queue before it waited for what it waits for now. */
  readonly queued?: readonly string[];
  /** What was decided on its calls; of those that nobody says anything of, nothing. */
  readonly leaves?: Leaves;
  /** Who has denied calls of it, or answered their questions, before it waited for what it waits for now. */
  readonly saidTo?: SaidToCalls;
  /** What people have said to the plan that it is. */
  readonly note?: string;
  /** Calls whose results clients have been told. */
  readonly told?: readonly string[];
}

/** One call that somebody or something else must settle. */
export interface Wait {
  /**
   * Bound to the session, the slot, the call and its arguments, for an approval as the tool reads them: a decision on it
   * is a decision on exactly this.
   */
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  /**
   * `approval`: may it run? `question`: a person's answer is its result. `call`: it runs from the tool queue. `callback`: it
   * has run, and whoever holds its token answers. `plan`: which calls of the batch may run?
   */
  readonly kind: 'approval' | 'question' | 'call' | 'callback' | 'plan';
  /** Of a plan: the tool of each change, in their order. `callId` is that of the first. */
  readonly changes?: readonly string[];
  /** A question of the call's own: it runs again with the answer. */
  readonly again?: true;
  /** What a person is asked: plain text, in lines. */
  readonly message: string;
  /** Epoch ms; from then on it counts as denied, unanswered or lost. */
  readonly expiresAt: number;
}

/** What a person decided. */
export interface Decision {
  readonly approved: boolean;
  /** Who decided, as the edge has verified it. */
  readonly by: string;
  /** Epoch ms. */
  readonly at: number;
  /** The answer to a question, or what the model is told about a refusal. */
  readonly note?: string;
  /** What they allow beyond this call. */
  readonly grant?: NewGrant;
  /** Of a plan: the numbers of the changes that are approved, from 1; all of them when absent. */
  readonly changes?: readonly number[];
}

/** A queued call that a worker has begun. */
export interface CallStart {
  readonly invocationId: string;
  /** Epoch ms at which its worker has given up, or its platform kills it: another one may begin the call then. */
  readonly until: number;
  /** Another worker has begun it before: what that one kept, or was told, may still come to light. */
  readonly again?: true;
}

/** Ids of the calls that run from the queue, or have; the others of the batch have run in a step. */
export const queuedIn = (batch: OpenBatch | undefined): ReadonlySet<string> =>
  new Set([
    ...(batch?.queued ?? []),
    ...(batch?.waits.flatMap(({ kind, callId }) => (kind === 'call' ? [callId] : [])) ?? []),
  ]);

/** Whether the run waits for somebody outside: for people, or for the answer to a call. Nothing is due then but the end of the wait. */
export const waitsOutside = ({ batch }: { readonly batch?: OpenBatch }): boolean =>
  batch?.waits.some(({ kind }) => kind !== 'call') ?? false;

/** Whether it is approved or not: a call, or the changes of a plan. */
export const isApproved = (kind: string): boolean => kind === 'approval' || kind === 'plan';

/** Whether a person settles it. */
export const isForPeople = ({ kind }: Pick<Wait, 'kind'>): boolean => isApproved(kind) || kind === 'question';

/** Epoch ms at which the first of the waits gives up. */
export const firstExpiry = (waits: readonly Wait[]): number =>
  Math.min(...waits.map(({ expiresAt }) => expiresAt));
