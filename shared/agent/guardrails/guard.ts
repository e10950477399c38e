import type { CompletedReason, Reason, State } from '../../contract/session.ts';
import type { Control, ResourceUse } from '../ports.ts';
import type { Reply } from '../reply.ts';
import type { Session } from '../session.ts';
import type { ResultNote, ToolCall, ToolResult } from '../slots.ts';
import type { Effect } from '../tools/define.ts';
import type { ToolFacts } from '../tools/facts.ts';
import type { Scenario } from './recovery.ts';

/**
 * The one shape of every guard (design.md section 5).
 *
 * A guard is a name, an initial state, a scope, and pure synchronous hooks by stage. A hook maps (its own
 * committed state, what is observed) to (its next state, a verdict or none). Because it reads nothing else,
 * a redelivered step recomputes the same numbers: nothing is counted twice.
 */
export interface Guard<S extends Slice, C extends Slice = Slice> {
  /** Names the guard's slice of `metadata.guardrails`. */
  readonly name: string;
  /** Yours: another one says that neither settings nor state of the old one fit. It then begins afresh, also in mid-run. */
  readonly version?: string;
  /** Its numbers, as data: a run keeps those that it began with, whatever is deployed meanwhile (A21). */
  readonly settings?: C;
  /** What a missing slice, or a missing key of an old one, is filled with (A17). */
  readonly initial: S;
  /**
   * `run` and `streak` state starts afresh with each run, `message` state also with each message of a person that joins
   * a run (U12); `session` state never does.
   */
  readonly scope: 'session' | 'run' | 'streak' | 'message';
  /** The state starts afresh when the guard has halted a run. */
  readonly forgetsOnHalt?: boolean;
  readonly hooks: { readonly [Stage in keyof Stages]?: Hook<S, Stage, C> };
}

export type Slice = { readonly [key: string]: Json };
export type Slices = { readonly [guard: string]: Slice };
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type Hook<S, Stage extends keyof Stages, C = Slice> = (
  state: S,
  seen: Stages[Stage]['seen'],
  settings: C,
) => Heard<S, Stages[Stage]['verdict']> | undefined;

/** What a hook makes of what it sees. */
export interface Heard<S, V> {
  readonly state?: S;
  readonly verdict?: V;
  /**
   * The next state when the verdict is a nudge that the model is not told, as another one is. Absent: the state is as it
   * was, so that the nudge comes again as soon as it may. A hook that counts and nudges at once goes on counting with it.
   */
  readonly unsaid?: S;
}

/** What each stage observes, and what may be said there: an impossible verdict does not compile. */
export interface Stages {
  /** Before any model work. */
  preflight: { seen: Observed & Preflight; verdict: Halt | TextOnly | Warn };
  /**
   * Before the model call: text for the model, after all results of the batch. `said` is what people say in this step.
   * A model that may only speak gets no advice.
   */
  inject: { seen: Observed & { said: readonly string[]; textOnly: boolean }; verdict: Nudge };
  /** After the reply is accounted, before anything of it is carried out. */
  reply: { seen: Observed & { reply: Reply }; verdict: Halt | SkipCalls | Nudge | Warn };
  /** Before one call runs. */
  call: {
    seen: Observed & { call: ToolCall; effect: Effect | 'unknown'; tool: ToolFacts | undefined };
    verdict: Halt | Block | NotedWarn | Allow;
  };
  /** What a guard had refused, and a person was asked about (`ask` of a block), may run, or not: they said no, or nothing. */
  decided: {
    seen: Observed & { call: ToolCall; tool: ToolFacts | undefined; approved: boolean };
    verdict: never;
  };
  /** After one call ran; what was refused, cancelled or made up is not shown. A halt ends the run when the batch is over: its results are kept. */
  result: {
    seen: Observed & { call: ToolCall; result: ToolResult; tool: ToolFacts | undefined };
    verdict: Halt | Nudge | NotedWarn;
  };
  /** When all results of a step are there. `ends`: a guard ends the run on one of them, and nobody reads advice. */
  batch: {
    seen: Observed & {
      calls: readonly ToolCall[];
      done: readonly Done[];
      tools: readonly ToolFacts[];
      ends: boolean;
    };
    verdict: Nudge | Warn;
  };
  /**
   * When the reply asks for no tools: a nudge sends it back to the model. Of several the first in order does (H2). A
   * warning beside them is told to people, and changes nothing.
   */
  complete: {
    seen: Observed & { reply: Reply; textOnly: boolean; tools: readonly ToolFacts[] };
    verdict: Halt | Nudge | Warn | Flag;
  };
}

/** What every hook sees: the session as it will be committed. */
export interface Observed {
  readonly session: Session;
}

/** A call that ran, with what came of it. */
export interface Done {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly tool: ToolFacts | undefined;
}

/** What is known before a step. */
interface Preflight {
  readonly now: number;
  readonly cancelled: boolean;
  /** Claims of the session since its last commit, this one included. */
  readonly attempts: number;
  /** Its wakes have died again and again, before or after they could claim: the run is to end. */
  readonly abandoned: boolean;
  readonly resources: ResourceUse;
  /** What the run has been asked to do, beside what people say. */
  readonly asked: readonly Control[];
}

/** What a rule has counted, and the numbers at which it speaks (L8). */
export type RuleMetadata = {
  readonly tool?: string;
  readonly count?: number;
  /** By their names in the configuration; 0 = off. */
  readonly limits?: { readonly [name: string]: number };
};

/** What every verdict may have. */
interface Verdicts {
  readonly metadata?: RuleMetadata;
}

/** Ends the run. */
export interface Halt extends Verdicts {
  readonly kind: 'halt';
  readonly state: State;
  readonly reason: Reason;
  readonly code: string;
  readonly message: string;
  /** Before a call: what its result says; `Error [refused]` and the message when absent. Nothing of its batch runs. */
  readonly result?: string;
  /** The run may go on instead, told `text`, as often as the limits of recovery allow (H16). `never`: a loop that was told often enough. */
  readonly recover?: { readonly scenario: Scenario; readonly text: string } | 'never';
}
/**
 * Lets the model speak and nothing more: it is told `text`, and what it calls is dropped and leaves history. The tools
 * of the request stay as they are, so that its prefix does. With `ending` the run ends when it has spoken.
 */
export interface TextOnly extends Verdicts {
  readonly kind: 'text_only';
  readonly code: string;
  readonly text: string;
  /** What people read; ours have their words in `for-people.ts`. */
  readonly message?: string;
  readonly ending?: Halt;
}
/** Drops the calls of a reply; the run goes on (T19). */
export interface SkipCalls extends Verdicts {
  readonly kind: 'skip_calls';
  readonly code: string;
  readonly message: string;
}
/** When a guard's refusal waits for a person: never, where somebody listens to the session, or always. */
export const asking = ['never', 'attended', 'always'] as const;
export type Asking = (typeof asking)[number];

/** Refuses one call; the message becomes its result. */
export interface Block extends Verdicts {
  readonly kind: 'block';
  readonly code: string;
  readonly message: string;
  /** What the call's result says; `Error [refused]` and the message when absent. */
  readonly result?: string;
  /** A person may let it run all the same (L15). Asked only when no other guard stands in its way. */
  readonly ask?: Asking;
}
/** Tells people that a rule is off, or does not hold; changes nothing (L8: `disabled`). */
export interface Allow extends Verdicts {
  readonly kind: 'allow';
  readonly code: string;
  readonly message: string;
}
/** Tells people; changes nothing. */
export interface Warn extends Verdicts {
  readonly kind: 'warn';
  readonly code: string;
  readonly message: string;
  readonly note?: never;
}
/** Tells people, and with `note` the model too, on the call's result (L4). */
export interface NotedWarn extends Omit<Warn, 'note'> {
  readonly note?: ResultNote;
}
/**
 * Tells the model, as an internal message (A20). Of all that guards want told with one request it is told one (loop-spec.md
 * section 7, rule 3; T13): what stands from the step before goes first, then the first in order, and who goes on about what
 * was told before gives way to the others. The others are unsaid: their guards have not said it, and nobody counts it.
 */
export interface Nudge extends Verdicts {
  readonly kind: 'nudge';
  readonly code: string;
  readonly text: string;
  /** What people read; ours have their words in `for-people.ts`. */
  readonly message?: string;
  /** It goes on about what people were told before: no event. */
  readonly again?: boolean;
  /** Says what is left of a limit: told beside the one piece of advice, never in its place. Before the model call only. */
  readonly limit?: true;
  /** Of a completion: it sends the reply back in words that were said before, so another may be told in their place. */
  readonly yields?: true;
  /** Of a completion: told in place of a nudge that yields. It sends nothing back itself. */
  readonly instead?: true;
}
/** Accepts the completion under another reason. */
export interface Flag extends Verdicts {
  readonly kind: 'flag';
  readonly code: string;
  readonly reason: CompletedReason;
  /** What there is to know of a run that is not simply `completed`. */
  readonly message?: string;
  /** What the model only thought becomes its answer (T16). */
  readonly promote?: true;
}

export type Verdict = Halt | TextOnly | SkipCalls | Block | NotedWarn | Warn | Nudge | Flag | Allow;
/** A verdict and who gave it, as the journal of a slot keeps it. */
export type Spoken = Verdict & {
  readonly guard: string;
  /** A nudge that the model was not told, because another one was, or because the run ends. */
  readonly unsaid?: boolean;
};

/** A guard with its state type forgotten, so that guards of all kinds fit one list. */
export type AnyGuard = Guard<Slice>;

/**
 * Declares a guard, checked against its own state type.
 * The erasure is sound: only `judge` calls the hooks, and only with the guard's own slice.
 */
export function defineGuard<S extends Slice, C extends Slice = Slice>(guard: Guard<S, C>): AnyGuard {
  return guard as unknown as AnyGuard;
}
