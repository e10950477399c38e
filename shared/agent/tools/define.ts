import * as z from 'zod';

/**
 * What running a tool does to the world, which decides how a crash is recovered:
 * `read` changes nothing; `idempotent` may be run again with the same idempotency key; `once` must never
 * start twice (design.md section 4, step 5).
 */
export type Effect = 'read' | 'idempotent' | 'once';

/** What a tool's results prove, for the guards that ask for evidence (H4). Without it its name is gone by. */
export interface Evidence {
  /** A call that succeeds has changed the file that its input names (`path`, `file_path`, …). */
  readonly changes?: 'files';
  /**
   * A call runs a verification: tests, a type check, a build. It passed when the result's `exitCode` (or `exit_code`) is
   * 0, or, where a tool returns none, when the call succeeded and its text tells of no failure.
   */
  readonly verifies?: boolean;
  /**
   * A call runs a command in a shell: `{ exitCode, stdout, stderr }` is what it returns at best. What the command changes
   * and verifies is read off its words.
   */
  readonly shell?: boolean;
}

/** What a tool is given beside its input. */
export interface ToolContext {
  /** The same for every attempt at this call. Pass it on to services that take one. */
  readonly idempotencyKey: string;
  readonly tenant: string;
  readonly sessionId: string;
  /** Aborted on cancel, on the tool's timeout and when the step loses its session. */
  readonly signal: AbortSignal;
  /**
   * Says that this call has made progress, whatever it returns: guards that look for standstill start a new window
   * (L11). Counts of calls go on.
   */
  markProgress(marker?: string): void;
  /** A deployment setting by its name in `shared/contract/env.ts`, for instance `GITHUB_API_URL`. */
  setting(name: string): string;
  /** A secret's value by the setting that names it. Rejects when the deployment has none. */
  secret(name: string): Promise<string>;
}

/** A tool as its author declares it. */
export interface ToolSpec<Input extends z.ZodType = z.ZodType> {
  /** What the model calls it: letters, digits, `_` and `-`, up to 64. */
  readonly name: string;
  /** What the model reads to decide. */
  readonly description: string;
  readonly input: Input;
  readonly effect: Effect;
  readonly evidence?: Evidence;
  /**
   * For `read` tools: an equal call later in the run gets the first one's result, unless something may have changed it
   * meanwhile (T26, H7). Only for what nobody but this run's own tools changes.
   */
  readonly cacheable?: boolean;
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
  /** Any JSON value, or text. What it throws becomes an error result for the model. */
  readonly run: (input: z.output<Input>, context: ToolContext) => Promise<unknown> | unknown;
}

/** A tool with its input type forgotten: `execute.ts` parses before it runs. */
export type Tool = ToolSpec<z.ZodType>;

const Spec = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use up to 64 letters, digits, _ and -'),
  description: z.string().min(1),
  input: z.custom<z.ZodType>(
    (value) => value instanceof z.ZodType || isSchema(value),
    'must be a zod schema',
  ),
  effect: z.enum(['read', 'idempotent', 'once']),
  evidence: z
    .strictObject({
      changes: z.literal('files').optional(),
      verifies: z.boolean().optional(),
      shell: z.boolean().optional(),
    })
    .optional(),
  cacheable: z.boolean().optional(),
  poll: z.boolean().optional(),
  timeoutSeconds: z.number().positive().max(840).optional(),
  where: z.enum(['inline', 'queue', 'person']).optional(),
  approval: z
    .union([
      z.enum(['always', 'never']),
      z.custom<(input: unknown) => boolean>((value) => typeof value === 'function'),
    ])
    .optional(),
  run: z.custom<Tool['run']>((value) => typeof value === 'function', 'must be a function'),
});

/**
 * Declares a tool. Throws with all that is wrong when the declaration is not valid.
 *
 * @example
 * defineTool({
 *   name: 'refund', description: 'Refund one order.', effect: 'once',
 *   input: z.object({ orderId: z.string() }),
 *   run: ({ orderId }, { idempotencyKey, signal }) => payments.refund(orderId, { idempotencyKey, signal }),
 * });
 */
export function defineTool<Input extends z.ZodType>(spec: ToolSpec<Input>): Tool {
  const parsed = Spec.safeParse(spec);
  if (!parsed.success) throw new Error(`tool ${spec.name ?? '?'}: ${z.prettifyError(parsed.error)}`);
  return Object.freeze({ ...spec }) as unknown as Tool;
}

/** A schema of another copy of zod, as an agent folder with its own node_modules brings. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
