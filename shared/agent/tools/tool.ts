import type * as z from 'zod';
import type { Effect } from '../config/effects.ts';
import type { Level } from '../config/levels.ts';
import type { Caller } from '../session/caller.ts';
import type { Evidence } from '../session/evidence.ts';
import type { Asking, Later, LaterOptions } from './later.ts';
import type { ToolServices } from './services.ts';

/** What a tool is given beside its input. `Setting` and `Secret` are the names that it asks for. */
export interface ToolContext<Setting extends string = never, Secret extends string = never> {
  /** The same for every attempt at this call. Pass it on to services that take one. */
  readonly idempotencyKey: string;
  readonly tenant: string;
  readonly sessionId: string;
  /**
   * The one person, or key, whose messages the run has read: act with their rights. Absent when there are several, when a
   * webhook has spoken, and when somebody has whom nobody has verified (docs/identity.md, "Whose rights a tool has").
   */
  readonly user?: Caller;
  /** All whose messages the run has read, oldest first, webhooks too; no more than 20 are remembered. */
  readonly requesters: readonly Caller[];
  /** Aborted on cancel, on the tool's timeout and when the step loses its session. */
  readonly signal: AbortSignal;
  /**
   * Says that this call has made progress, whatever it returns: guards that look for standstill start a new window
   * (L11). Counts of calls go on.
   */
  markProgress(marker?: string): void;
  /**
   * Has the call answered later, by whoever holds the token: an external service that calls back, minutes or days from now.
   * Hand out its `url`, and return what it gives. Meanwhile nothing runs (docs/tools.md, "Answers that come later").
   */
  readonly later: (options?: LaterOptions) => Promise<Later>;
  /**
   * Asks a person in the middle of a call. Return what it gives: when they have answered, the call runs again from its
   * beginning, with the answer in `answers`. So ask before anything is done that must not be done twice.
   */
  readonly ask: (question: string) => Asking;
  /** What people have answered to the questions that this call has asked, in order. */
  readonly answers: readonly string[];
  /**
   * Tells who watches how far the call is, in up to 500 characters, and which share of it is done, from 0 to 1. The model reads
   * nothing of it.
   */
  readonly progress: (message: string, share?: number) => void;
  /** The value of a setting that the tool asks for. Throws for any other, and when the deployment gives it no value. */
  readonly setting: (name: Setting) => string;
  /** The value of a secret that the tool asks for, at most five minutes old. Rejects for any other. */
  readonly secret: (name: Secret) => Promise<string>;
  /** What the deployment does for tools: texts of the session, a guarded `fetch` (docs/tools.md, "Services"). */
  readonly services: ToolServices;
}

/** A tool as its author declares it. */
export interface ToolSpec<
  Input extends z.ZodType = z.ZodType,
  Setting extends string = string,
  Secret extends string = string,
> {
  /** The name that the model uses: letters, digits, `_` and `-`, up to 64. */
  readonly name: string;
  /** The description that the model reads to decide. */
  readonly description: string;
  readonly input: Input;
  /** What running it does to the world. */
  readonly effect: Effect;
  readonly evidence?: Evidence;
  /**
   * For `read` tools: an equal call later in the run gets the first one's result, unless something may have changed it
   * meanwhile (T26, H7). Only for what nobody but this run's own tools changes.
   */
  readonly cacheable?: boolean;
  /**
   * What a call reads or changes, by its input, which has been parsed: paths or names, up to 20. Two calls of a batch that share none
   * run beside each other; where they share one and one of them is `idempotent`, they run in their order. A folder shares what is in it,
   * and `''` is everything. Absent, or when it throws, a call that changes something runs alone (T20). Nothing that is `once` runs beside another.
   */
  readonly touches?: (input: z.output<Input>) => readonly string[];
  /**
   * Whether a call looks how far something is, so that the same answer many times in a row is no loop yet: such calls
   * have limits of their own (`loop.cycles.poll`). By its name when absent: `job_status`, `check_health`, `wait`, … (L13).
   */
  readonly poll?: boolean;
  /** Longest run in seconds; the agent's `limits.toolTimeoutSeconds` when absent. */
  readonly timeoutSeconds?: number;
  /**
   * Where a call runs: `inline` in its step (the default), or from the tool `queue` in a Lambda of its own, for slow or
   * heavy work; the step waits for it without compute. `person`: somebody's answer is its result, see `askUser`.
   */
  readonly where?: 'inline' | 'queue' | 'person';
  /**
   * Whether a person must approve a call before it starts; by the agent's `approvals.effects` when absent. A function
   * decides by the call's input, which has been parsed; if it throws, approval is asked for.
   */
  readonly approval?: 'always' | 'never' | ((input: z.output<Input>) => boolean);
  /**
   * How dangerous a call is, for policies (docs/leave.md): by the effect when absent (`read` is `safe`, `idempotent` is `moderate`, `once` is
   * `dangerous`). A function says it by the call's input, which has been parsed; if it throws, the call is `critical`.
   */
  readonly level?: Level | ((input: z.output<Input>) => Level);
  /**
   * Its calls change nothing but files of the workspace, whatever their input: in plan mode they run, and change a draft
   * (docs/plan-mode.md). What calls of other tools would change is proposed without running them.
   */
  readonly drafts?: true;
  /** Settings of the deployment that it reads with `context.setting`, by name. */
  readonly settings?: readonly Setting[];
  /** Secrets of the deployment that it reads with `context.secret`, by name. No function gets one that nothing in it asks for. */
  readonly secrets?: readonly Secret[];
  /** Any JSON value, or text. What it throws becomes an error result for the model. */
  readonly run: (input: z.output<Input>, context: ToolContext<Setting, Secret>) => Promise<unknown> | unknown;
}

/** A tool with its input type forgotten: `execute.ts` parses before it runs. */
export type Tool = ToolSpec<z.ZodType>;
