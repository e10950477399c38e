import type * as z from 'zod';
import type { Effect } from '../config/effects.ts';
import type { Level } from '../config/levels.ts';
import type { Caller } from '../session/caller.ts';
import type { Evidence } from '../session/evidence.ts';
import type { Repeats } from '../session/facts.ts';
import type { Delegation } from './delegation.ts';
import type { Later, LaterOptions, PersonQuestion, Timer, TimerOptions } from './later.ts';
import type { SourceServices, ToolServices } from './services.ts';

/** The context of a tool, beside its input. `Setting` and `Secret` are the names that it asks for. */
export interface ToolContext<Setting extends string = never, Secret extends string = never> {
  /** The same for every attempt at this call. Pass it on to services that accept one. */
  readonly idempotencyKey: string;
  readonly tenant: string;
  readonly sessionId: string;
  /**
   * The one person, or key, whose messages the run has read: act with their rights. Absent if there are several, if a webhook has
   * sent a message, or if a sender was not verified (docs/identity.md, "Whose rights a tool has").
   */
  readonly user?: Caller;
  /** The senders of all messages that the run has read, oldest first, including webhooks; at most 20 are remembered. */
  readonly requesters: readonly Caller[];
  /** Aborted on cancel, on the tool's timeout and when the step loses its session. */
  readonly signal: AbortSignal;
  /**
   * Reports that this call has made progress, whatever it returns: guards that look for standstill start a new window. Counts of
   * calls go on.
   */
  markProgress(marker?: string): void;
  /**
   * Has the call answered later by the holder of a token: an external service that calls back, minutes or days from now. Pass on
   * its `url`, and return its value. Nothing runs meanwhile (docs/tools.md, "Answers that come later").
   */
  readonly later: (options?: LaterOptions) => Promise<Later>;
  /**
   * Lets the run rest without compute until a moment (epoch ms, up to a year away), or until something comes in for the session.
   * Return its value. The model is then told the time, how late it is, and what has ended the wait.
   */
  readonly sleepUntil: (at: number, options?: TimerOptions) => Promise<Timer>;
  /** Epoch ms by the clock of the step, which is virtual in tests. */
  readonly now: () => number;
  /**
   * Asks a person in the middle of a call. Return its value: when the person has answered, the call runs again from its
   * beginning, with the answer in `answers`. So ask before you do anything that must not be done twice.
   */
  readonly ask: (question: string) => PersonQuestion;
  /** People's answers to the questions of this call, in order. */
  readonly answers: readonly string[];
  /**
   * Tells clients how far the call is, in up to 500 characters, and which share of it is done, from 0 to 1. The model does not
   * read it.
   */
  readonly progress: (message: string, share?: number) => void;
  /** The value of a setting that the tool declares. Throws for any other, and if the deployment gives it no value. */
  readonly setting: (name: Setting) => string;
  /** The value of a secret that the tool declares, at most five minutes old. Rejects for any other. */
  readonly secret: (name: Secret) => Promise<string>;
  /** Services of the deployment: texts of the session, a guarded `fetch` (docs/tools.md, "Services"). */
  readonly services: ToolServices;
}

/** The context in which a tool stops what one of its calls has begun. */
export interface StopContext<Setting extends string = never, Secret extends string = never>
  extends Pick<
    ToolContext<Setting, Secret>,
    'idempotencyKey' | 'tenant' | 'sessionId' | 'signal' | 'setting' | 'secret'
  > {
  /** Without the files and tasks of the session. */
  readonly services: SourceServices;
}

/** A tool as its author declares it. */
export interface ToolSpec<
  Input extends z.ZodType = z.ZodType,
  Setting extends string = string,
  Secret extends string = string,
> {
  /** The name that the model uses: letters, digits, `_` and `-`, up to 64. */
  readonly name: string;
  /** The description by which the model decides. */
  readonly description: string;
  readonly input: Input;
  /** The effect of running it on the world. */
  readonly effect: Effect;
  readonly evidence?: Evidence;
  /**
   * For `read` tools: an equal call later in the run gets the first one's result, unless something may have changed it meanwhile.
   * Use it only for data that nothing but this run's own tools changes.
   */
  readonly cacheable?: boolean;
  /**
   * The things that a call reads or changes, by its parsed input: paths or names, up to 20. Two calls of a batch that share none
   * run at the same time. If they share one and one of them is `idempotent`, they run in their order. A folder shares what is in
   * it, and `''` is everything. If this is absent or throws, a call that changes something runs alone. A `once` call never runs
   * at the same time as another.
   */
  readonly touches?: (input: z.output<Input>) => readonly string[];
  /**
   * Whether a call only checks on progress, so that the same answer many times in a row is not a loop yet: such calls have limits
   * of their own (`loop.cycles.poll`). When absent, decided by the name: `job_status`, `check_health`, `wait`, ….
   */
  readonly poll?: boolean;
  /**
   * The meaning of an equal call with an equal result. `free`: nothing, as for a die or an arrow key; only limits of the run count
   * it. `polls`: it checks on progress, as with `poll`. `counts`: it is a repetition, whatever its name or its answer says. When
   * absent, decided by the name and the answer.
   */
  readonly repeats?: Repeats;
  /**
   * Results that only confirm the call, such as "ok": they are neither news nor a repetition. Up to 20 texts, compared without
   * blanks around them.
   */
  readonly acknowledges?: readonly string[];
  /** Longest run in seconds; the agent's `limits.toolTimeoutSeconds` when absent. */
  readonly timeoutSeconds?: number;
  /**
   * Where a call runs: `inline` in its step (the default), or from the tool `queue` in a Lambda of its own, for slow or heavy
   * work, for which the step waits without compute. `person`: a person's answer is its result, see `askUser`.
   */
  readonly where?: 'inline' | 'queue' | 'person';
  /**
   * Whether a person must approve a call before it starts; by the agent's `approvals.effects` when absent. A function decides by
   * the call's parsed input; if it throws, approval is required.
   */
  readonly approval?: 'always' | 'never' | ((input: z.output<Input>) => boolean);
  /**
   * How dangerous a call is, for policies (docs/leave.md): by the effect when absent (`read` is `safe`, `idempotent` is
   * `moderate`, `once` is `dangerous`). A function decides by the call's parsed input; if it throws, the call is `critical`.
   */
  readonly level?: Level | ((input: z.output<Input>) => Level);
  /**
   * Its calls change only files of the workspace, whatever their input. In plan mode they run, and change a draft
   * (docs/plan-mode.md). Calls of other tools that would change something are proposed without running them.
   */
  readonly drafts?: true;
  /** Settings of the deployment that it reads with `context.setting`, by name. */
  readonly settings?: readonly Setting[];
  /**
   * Secrets of the deployment that it reads with `context.secret`, by name. A function gets only secrets that something in it
   * declares.
   */
  readonly secrets?: readonly Secret[];
  /**
   * Stops what a call has begun outside, because its run was stopped or the call was given up: it has 4 s, perhaps more than once,
   * and in another worker. Also for a call that has begun nothing, or has ended since. The call has the same `idempotencyKey`.
   */
  readonly stop?: (context: StopContext<Setting, Secret>) => Promise<void> | void;
  /** Returns any JSON value, or text. An error that it throws becomes an error result for the model. */
  readonly run: (input: z.output<Input>, context: ToolContext<Setting, Secret>) => Promise<unknown> | unknown;
}

/** A tool without its input type: `execute.ts` parses the input before it runs. */
export type Tool = ToolSpec<z.ZodType> & {
  /** The page that offers it carries its calls out, within this many seconds: `run` is not called (docs/page-tools.md). */
  readonly page?: { readonly seconds: number };
  /** Its calls begin sessions of another agent: `run` is not called (docs/children.md). */
  readonly delegates?: Delegation;
  /** Its calls give the session to this agent: `run` is not called (docs/handoffs.md). */
  readonly handsOffTo?: string;
  /** Its calls write to sessions that work in the background: `run` is not called. */
  readonly sends?: true;
};
