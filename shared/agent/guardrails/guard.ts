import type { Effect } from '../config/effects.ts';
import type { Control } from '../ports/inbox.ts';
import type { ResourceUse } from '../ports/ports.ts';
import type { ToolFacts } from '../session/facts.ts';
import type { Reply } from '../session/reply.ts';
import type { Session } from '../session/session.ts';
import type { Slot, ToolCall, ToolResult } from '../session/slots.ts';
import type {
  Allow,
  BlockCall,
  Check,
  Flag,
  Halt,
  NotedWarn,
  Nudge,
  SkipCalls,
  Slice,
  TextOnly,
  Warn,
} from '../session/verdict.ts';

/**
 * The one shape of every guard (docs/guards.md).
 *
 * A guard is a name, an initial state, a scope, and pure synchronous hooks by stage. A hook maps (its own
 * committed state, what is observed) to (its next state, a verdict or none). Because it reads nothing else,
 * a redelivered step recomputes the same numbers: nothing is counted twice.
 */
export interface Guard<S extends Slice, C extends Slice = Slice, Says = unknown> {
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
  /**
   * Its preflight is heard also when an open batch is closed: a halt there ends the run, and nothing more of the batch starts.
   * The others count model calls and what they cost, and have had their say on this one.
   */
  readonly urgent?: true;
  /**
   * It asks for calls of the system (`check`), and it alone hears what has come of them: no loop guard counts them. When a call is
   * over that an answer has waited for, those that are so are asked once more whether it counts.
   */
  readonly checks?: true;
  /** How the run is to end, when the guard has decided that, and only gives it time to come to its end by itself. */
  readonly respite?: (state: S) => Respite | undefined;
  /** `Says` narrows what they may say: ours name their codes (`said.ts`). */
  readonly hooks: { readonly [Stage in keyof Stages]?: Hook<S, Stage, C, Says> };
}

/** Time that a run is given which is to end. Whatever it comes to by then, it ends so; and no wait goes on beyond it. */
export interface Respite {
  /** Epoch ms. */
  readonly until: number;
  readonly halt: Halt;
}

/**
 * A pure, synchronous function of its guard's state, of what is seen at that stage, and of its settings: what it makes
 * of it, or nothing.
 */
export type Hook<S, Stage extends keyof Stages, C = Slice, Says = unknown> = (
  state: S,
  seen: Stages[Stage]['seen'],
  settings: C,
) => Heard<S, Stages[Stage]['verdict'] & Says> | undefined;

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
  inject: {
    seen: Observed & { said: readonly string[]; textOnly: boolean; context: ModelContext };
    verdict: Nudge;
  };
  /** After the reply is accounted, before anything of it is carried out. */
  reply: { seen: Observed & Shrinks & { reply: Reply }; verdict: Halt | SkipCalls | Nudge | Warn };
  /** Before one call runs. */
  call: {
    seen: Observed & { call: ToolCall; effect: Effect | 'unknown'; tool: ToolFacts | undefined };
    verdict: Halt | BlockCall | NotedWarn | Allow;
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
    verdict: Nudge | Warn | Check;
  };
  /**
   * When the reply asks for no tools: a nudge sends it back to the model. Of several the first in order does (H2). A
   * warning beside them is told to people, and changes nothing.
   */
  complete: {
    seen: Observed & {
      reply: Reply;
      textOnly: boolean;
      tools: readonly ToolFacts[];
      /** What the reply gives of the object that the agent answers with; absent where the answer is text. */
      answer?: () => GivenAnswer;
    };
    verdict: Halt | Nudge | Warn | Flag | Check;
  };
}

/** What a reply gives of the object that is to be the answer (`defineAgent({ answer })`). */
export type GivenAnswer =
  | { readonly kind: 'fits'; readonly object: Readonly<Record<string, unknown>> }
  /** Why not: a sentence each, one at least. */
  | { readonly kind: 'unfit'; readonly issues: readonly string[] };

/** What every hook sees: the session as it will be committed. */
export interface Observed {
  readonly session: Session;
}

/** What the model reads in a step beside what it is told now: as it is committed. */
export interface ModelContext {
  /** About how many there are. Asked only by who needs it. */
  readonly tokens: () => number;
  readonly slots: readonly Slot[];
}

/** A call that ran, with what came of it. */
export interface Done {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly tool: ToolFacts | undefined;
}

/** What could be done about the context. */
export interface Shrinks {
  /** Whether it could be made a fifth smaller at once, of what is committed, and without asking a model (T5). Asked only by who needs it. */
  readonly shrinks: () => boolean;
}

/** What is known before a step. */
export interface Preflight extends Shrinks {
  readonly now: number;
  /** Share of its limit that the next request has, by an estimate. Asked only by who needs it. */
  readonly fullness: () => number;
  readonly cancelled: boolean;
  /** Claims of the session since its last commit, this one included. */
  readonly attempts: number;
  /** Its wakes have died again and again, before or after they could claim: the run is to end. */
  readonly abandoned: boolean;
  readonly resources: ResourceUse;
  /** What the run has been asked to do, beside what people say. */
  readonly asked: readonly Control[];
}

/** A guard with its state type forgotten, so that guards of all kinds fit one list. */
export type AnyGuard = Guard<Slice>;

/**
 * Declares a guard, checked against its own state type.
 * The erasure is sound: only `judge` calls the hooks, and only with the guard's own slice.
 */
export function defineGuard<S extends Slice, C extends Slice = Slice>(guard: Guard<S, C>): AnyGuard {
  return guard as unknown as AnyGuard;
}
