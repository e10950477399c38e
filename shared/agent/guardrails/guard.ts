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
 * A guard is a name, an initial state, a scope, and pure synchronous hooks by stage. A hook maps its own committed state and what
 * it observes to its next state, and a verdict or none. It reads nothing else, so a redelivered step computes the same numbers:
 * nothing is counted twice.
 */
export interface Guard<S extends Slice, C extends Slice = Slice, Says = unknown> {
  /** Names the guard's slice of `metadata.guardrails`. */
  readonly name: string;
  /**
   * Your own version. A change means that settings and state of the old version no longer fit: the guard then starts afresh, also
   * in mid-run.
   */
  readonly version?: string;
  /** Its numbers, as data. A run keeps the settings that it began with, whatever is deployed meanwhile. */
  readonly settings?: C;
  /** Fills in a missing slice, or a missing key of an old one. */
  readonly initial: S;
  /**
   * `run` and `streak` state starts afresh with each run, `message` state also with each message of a person that joins a run;
   * `session` state never does.
   */
  readonly scope: 'session' | 'run' | 'streak' | 'message';
  /** The state starts afresh after the guard has halted a run. */
  readonly forgetsOnHalt?: boolean;
  /**
   * Its preflight also runs when an open batch is closed: a halt there ends the run, and nothing more of the batch starts. Other
   * guards count model calls and their cost, and have judged this call already.
   */
  readonly urgent?: true;
  /**
   * It requests calls of the system (`check`), and only it sees their results: no loop guard counts them. When a call is over
   * that an answer has waited for, these guards are asked again whether the answer counts.
   */
  readonly checks?: true;
  /** How the run is to end, if the guard has decided to end it and only gives it time to finish by itself. */
  readonly respite?: (state: S) => Respite | undefined;
  /** `Says` narrows the verdicts: our guards list their codes (`guard-codes.ts`). */
  readonly hooks: { readonly [Stage in keyof Stages]?: Hook<S, Stage, C, Says> };
}

/** Time given to a run that is to end. The run ends in this way whatever it reaches by then, and no wait goes on beyond it. */
export interface Respite {
  /** Epoch ms. */
  readonly until: number;
  readonly halt: Halt;
}

/**
 * A pure, synchronous function of its guard's state, of what is observed at that stage, and of its settings. Returns a result, or
 * nothing.
 */
export type Hook<S, Stage extends keyof Stages, C = Slice, Says = unknown> = (
  state: S,
  seen: Stages[Stage]['seen'],
  settings: C,
) => Heard<S, Stages[Stage]['verdict'] & Says> | undefined;

/** The result of a hook. */
export interface Heard<S, V> {
  readonly state?: S;
  readonly verdict?: V;
  /**
   * The next state if the verdict is a nudge that the model is not told because another one is. Absent: the state stays as it
   * was, so that the nudge comes again as soon as it may. A hook that counts and nudges at once uses it to go on counting.
   */
  readonly unsaid?: S;
}

/** The observations and the allowed verdicts of each stage: an impossible verdict does not compile. */
export interface Stages {
  /** Before any model work. */
  preflight: { seen: Observed & Preflight; verdict: Halt | TextOnly | Warn };
  /**
   * Before the model call: text for the model, after all results of the batch. `said` is what people say in this step. A model
   * that may only write text gets no advice.
   */
  inject: {
    seen: Observed & { said: readonly string[]; textOnly: boolean; context: ModelContext };
    verdict: Nudge;
  };
  /** After the reply is accounted, before anything in it is carried out. */
  reply: { seen: Observed & Shrinks & { reply: Reply }; verdict: Halt | SkipCalls | Nudge | Warn };
  /** Before one call runs. */
  call: {
    seen: Observed & { call: ToolCall; effect: Effect | 'unknown'; tool: ToolFacts | undefined };
    verdict: Halt | BlockCall | NotedWarn | Allow;
  };
  /**
   * After a person's decision on a call that a guard had refused (`ask` of a block): it may run, or not, because they refused or
   * did not answer.
   */
  decided: {
    seen: Observed & { call: ToolCall; tool: ToolFacts | undefined; approved: boolean };
    verdict: never;
  };
  /**
   * After one call ran. Refused, cancelled and made-up results are not shown. A halt ends the run when the batch is over: its
   * results are kept.
   */
  result: {
    seen: Observed & { call: ToolCall; result: ToolResult; tool: ToolFacts | undefined };
    verdict: Halt | Nudge | NotedWarn;
  };
  /** When all results of a step are there. `ends`: a guard ends the run on one of them, so no advice is read. */
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
   * When the reply asks for no tools: a nudge sends it back to the model. If several do, the first in order counts. A warning beside
   * them is told to people, and changes nothing.
   */
  complete: {
    seen: Observed & {
      reply: Reply;
      textOnly: boolean;
      /** The code of the verdict that allows the model only text. */
      textOnlyFor?: string;
      tools: readonly ToolFacts[];
      /** The answer object that the reply gives; absent if the answer is text. */
      answer?: () => GivenAnswer;
    };
    verdict: Halt | Nudge | Warn | Flag | Check;
  };
}

/** The result of reading a reply as the answer object (`defineAgent({ answer })`). */
export type GivenAnswer =
  | { readonly kind: 'fits'; readonly object: Readonly<Record<string, unknown>> }
  /** The reasons why not: one sentence each, at least one. */
  | { readonly kind: 'unfit'; readonly issues: readonly string[] };

/** Every hook sees this: the session as it will be committed. */
export interface Observed {
  readonly session: Session;
}

/** The context of the model in a step, as it is committed, without new texts. */
export interface ModelContext {
  /** An estimate of its tokens. Computed only when called. */
  readonly tokens: () => number;
  readonly slots: readonly Slot[];
}

/** A call that ran, with its result. */
export interface Done {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly tool: ToolFacts | undefined;
}

/** Whether the context can be made smaller. */
export interface Shrinks {
  /**
   * Whether it could be made a fifth smaller at once, from committed data and without asking a model. Computed only when called.
   */
  readonly shrinks: () => boolean;
}

/** The facts that are known before a step. */
export interface Preflight extends Shrinks {
  readonly now: number;
  /** Share of its limit that the next request uses, by an estimate. Computed only when called. */
  readonly fullness: () => number;
  readonly cancelled: boolean;
  /** Claims of the session since its last commit, this one included. */
  readonly attempts: number;
  /** Its wakes have died again and again, before or after they could claim: the run is to end. */
  readonly abandoned: boolean;
  readonly resources: ResourceUse;
  /** Controls that the run has received, besides people's messages. */
  readonly asked: readonly Control[];
}

/** A guard without its state type, so that guards of all kinds fit one list. */
export type AnyGuard = Guard<Slice>;

/**
 * Declares a guard, checked against its own state type. The erasure is sound: only `judge` calls the hooks, and only with the
 * guard's own slice.
 */
export function defineGuard<S extends Slice, C extends Slice = Slice>(guard: Guard<S, C>): AnyGuard {
  return guard as unknown as AnyGuard;
}
