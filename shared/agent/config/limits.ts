import * as z from 'zod';

/** Limits of a session's workspace (docs/workspace.md). Something that is over a limit already may only shrink. */
const WorkspaceLimits = z.strictObject({
  /** Number of files. The list of files is rewritten by each batch that changes one: about 120 bytes a file. */
  files: z.int().min(1).max(10_000).default(2_000),
  /** Bytes of one file. Files are read whole. */
  fileBytes: z.int().min(1).max(20_000_000).default(5_000_000),
  /** Bytes of all files. The data that one call writes is held in memory until the call ends. */
  bytes: z.int().min(1).max(200_000_000).default(50_000_000),
});
export type WorkspaceLimits = z.output<typeof WorkspaceLimits>;

/** Limits of a run. 0 means "off" only where a key says so. */
export const Limits = z.strictObject({
  /** Model calls. */
  maxSteps: z.int().min(1).max(10_000).default(50),
  /** What `maxSteps` and the budgets count over. */
  scope: z.enum(['run', 'session']).default('run'),
  /** Wall-clock seconds of a run, waits for people excluded; 0 = off. */
  timeoutSeconds: z.number().min(0).default(0),
  /** Input + output tokens; 0 = unlimited. */
  tokenBudget: z.int().min(0).default(0),
  /** USD; 0 = unlimited. */
  costLimitUsd: z.number().min(0).default(0),
  /**
   * Model calls of one step that may fail before the run ends or asks its next model. Rate limits are counted apart, to the same
   * number.
   */
  maxRetries: z.int().min(1).max(100).default(3),
  /**
   * Seconds for which failures that may pass (overload, 5xx, timeouts, no connection) do not end the run, counted from the first
   * of them, however many there are; 0 = `maxRetries` alone decides.
   */
  outageSeconds: z.int().min(0).max(86_400).default(900),
  /** Crashed attempts at one step before the run ends as `crash_loop` (docs/design.md). */
  maxAttempts: z.int().min(1).max(100).default(5),
  /** Calls that one reply may make; the rest get error results. */
  maxCallsPerReply: z.int().min(1).max(256).default(25),
  /** Calls of one reply that run at the same time; 0 = as many as may. Calls that run from the queue do not count. */
  maxParallelCalls: z.int().min(0).max(256).default(0),
  /**
   * Failed calls of one reply in a row after which the rest of its calls is not run, and the model is told why; 0 = off. Calls
   * that have begun are not taken back: `maxParallelCalls` says how many begin together. Calls that run from the queue do not
   * count.
   */
  maxFailuresInARow: z.int().min(0).max(256).default(5),
  /**
   * Share of the model's window above which results of one reply's calls are left out, from the eleventh on; each is kept whole
   * in S3. 0 = off.
   */
  batchWindowShare: z.number().min(0).max(1).default(0.9),
  /** Calls of a run; the next one ends it; 0 = off. */
  maxToolCalls: z.int().min(0).max(100_000).default(192),
  /** One last step without tools when `maxSteps` is reached, to sum up. */
  graceStep: z.boolean().default(false),
  /**
   * Seconds that one call may take, unless its tool says otherwise. An inline call gets no more than is left of its step, which
   * has 290 for the reply and all calls. A queued call is started again 12 s later if its worker died.
   */
  toolTimeoutSeconds: z.number().positive().max(840).default(300),
  /** Seconds until a queued call without a result counts as lost, including its time in the queue. */
  queuedCallSeconds: z.int().min(1).max(86_400).default(3_600),
  /** Characters of a tool's output that the model sees; the rest is kept in S3. */
  maxToolOutputChars: z.int().min(100).max(200_000).default(50_000),
  /**
   * The longest pause in ms between two pushes to a client while text comes. The first words leave at once, and the pause grows
   * from 100 ms in the first 1.5 s. Each push is billed (docs/cost.md).
   */
  pushEveryMs: z.int().min(50).max(10_000).default(300),
  /** Files that the session's tools work on. */
  workspace: WorkspaceLimits.prefault({}),
});
export type Limits = z.output<typeof Limits>;
export type LimitsInput = z.input<typeof Limits>;
