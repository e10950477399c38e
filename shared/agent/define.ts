import * as z from 'zod';
import { AgentName } from '../contract/session.ts';
import { builtInGuards } from './guardrails/built-in.ts';
import type { AnyGuard } from './guardrails/guard.ts';
import { responseShape } from './guardrails/responses.ts';
import type { Tool } from './tools/define.ts';

/** Limits of a run. Zero is "off" where it says so. */
const Limits = z.strictObject({
  /** Model calls (A4; source default 50). */
  maxSteps: z.int().min(1).max(10_000).default(50),
  /** At `maxSteps` the model may say one last word, without tools (T4). */
  graceStep: z.boolean().default(false),
  /** Tool calls of a run; the next one ends it; 0 = unlimited (H17: 192). */
  maxToolCalls: z.int().min(0).max(100_000).default(192),
  /** What `maxSteps` and the budgets count over (A4). */
  scope: z.enum(['run', 'session']).default('run'),
  /** Wall-clock seconds of a run, waits for people excluded; 0 = off (A3). */
  timeoutSeconds: z.number().min(0).default(0),
  /** Seconds of work of a run, waits excluded, after which no tool starts; 0 = off (L7: 120). */
  activeSeconds: z.number().min(0).default(0),
  /** Input + output tokens; 0 = unlimited (A11). */
  tokenBudget: z.int().min(0).default(0),
  /** USD; 0 = unlimited (A11). */
  costLimitUsd: z.number().min(0).default(0),
  /** Model calls of one step that may fail before the run ends; rate limits are counted apart, to the same number (A8: 3). */
  maxRetries: z.int().min(1).max(100).default(3),
  /** First wait after a failed model call, in ms; it doubles (A8: 1,000). */
  retryBaseMs: z.int().min(1).max(60_000).default(1_000),
  /** Share by which such a wait is shortened or prolonged by chance (A8: 0.5; S4: 0.25). */
  retryJitter: z.number().min(0).max(1).default(0.5),
  /** Crashed attempts at one step before the run ends as `crash_loop` (design.md section 4). */
  maxAttempts: z.int().min(1).max(100).default(5),
  /** Calls that one reply may make; the rest get error results (T20: 25). */
  maxCallsPerReply: z.int().min(1).max(256).default(25),
  /** Seconds one inline tool may take (A13: 300). */
  toolTimeoutSeconds: z.number().positive().max(840).default(300),
  /** Characters of a tool's output that the model sees; the rest is kept in S3 (A13: 50,000). */
  maxToolOutputChars: z.int().min(100).max(200_000).default(50_000),
});

/** The guards of the A-rows: the four keys of A21. */
const Guardrails = z.strictObject({
  /** Identical tool steps in a row after which the next identical one ends the run; 0 = off (A12: 3). */
  maxRepeatedToolSteps: z.int().min(0).default(3),
  /** Times a reply cut at the token limit is asked to go on; 0 = off (A15: 2). `truncation.max` goes before it. */
  maxTokensRecoveries: z.int().min(0).default(2),
  /** Tokens left at which the run warns that it is near its budget (A16: 512). */
  reserveTokens: z.int().min(0).default(512),
  /** Share of `costLimitUsd` left at which it warns (A16: 0.1). A higher share warns earlier. */
  reserveCostFraction: z.number().min(0).max(1).default(0.1),
  ...responseShape,
});

/** USD per million tokens. Overrides the built-in price table (A10). */
const Price = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0).default(0),
  cacheWrite: z.number().min(0).default(0),
});

const Model = z.strictObject({
  /** The model's name at its server. */
  name: z.string().min(1),
  /** Output tokens of one reply. */
  maxTokens: z.int().min(1).max(200_000).default(8192),
  price: Price.optional(),
  /** More fields for the request body, sent as they are: `thinking`, `output_config`, … */
  request: z.record(z.string(), z.json()).default({}),
});

const fn = z.custom<Tool>(
  (value) => typeof value === 'object' && value !== null && 'run' in value,
  'use defineTool',
);
const guard = z.custom<AnyGuard>(
  (value) => typeof value === 'object' && value !== null && 'hooks' in value,
  'use defineGuard',
);

const Definition = z.strictObject({
  name: AgentName,
  /** Yours; shown to operators. What a session runs on is pinned by content, not by this. */
  version: z.string().min(1).max(64),
  model: Model,
  system: z.string().min(1),
  tools: z.array(fn).default([]),
  guardrails: Guardrails.prefault({}),
  /** Guards of your own, after the built-in ones. */
  guards: z.array(guard).default([]),
  limits: Limits.prefault({}),
});

/** An agent: validated, defaults filled in, frozen. */
export type Agent = Readonly<z.output<typeof Definition>>;
export type Limits = z.output<typeof Limits>;
export type Guardrails = z.output<typeof Guardrails>;
export type Price = z.output<typeof Price>;

/**
 * Declares an agent. Throws, naming every wrong key, when the definition is not valid: unknown keys are refused.
 *
 * @example
 * export default defineAgent({
 *   name: 'triage', version: '1', model: { name: 'claude-sonnet-5-5' },
 *   system: 'You label issues.', tools: [getIssue, addLabels],
 * });
 */
export function defineAgent(definition: z.input<typeof Definition>): Agent {
  const parsed = Definition.safeParse(definition);
  if (!parsed.success) throw new Error(`agent ${definition.name ?? '?'}:\n${z.prettifyError(parsed.error)}`);
  const names = parsed.data.tools.map((tool) => tool.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new Error(`agent ${parsed.data.name}: two tools are named ${twice}`);
  const guards = [...builtInGuards(parsed.data), ...parsed.data.guards].map((guard) => guard.name);
  const taken = guards.find((name, i) => guards.indexOf(name) !== i);
  if (taken)
    throw new Error(`agent ${parsed.data.name}: two guards are named ${taken}; a name is the key of a state`);
  for (const part of Object.values(parsed.data)) Object.freeze(part);
  return Object.freeze(parsed.data);
}
