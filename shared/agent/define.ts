import * as z from 'zod';
import { modelServers } from '../contract/env.ts';
import { AgentName } from '../contract/session.ts';
import { builtInGuards } from './guardrails/built-in.ts';
import type { AnyGuard } from './guardrails/guard.ts';
import type { Tool } from './tools/define.ts';

/** Limits of a run. Zero is "off" where it says so. */
const Limits = z.strictObject({
  /** Model calls (A4; source default 50). */
  maxSteps: z.int().min(1).max(10_000).default(50),
  /** What `maxSteps` and the budgets count over (A4). */
  scope: z.enum(['run', 'session']).default('run'),
  /** Wall-clock seconds of a run, waits for people excluded; 0 = off (A3). */
  timeoutSeconds: z.number().min(0).default(0),
  /** Input + output tokens; 0 = unlimited (A11). */
  tokenBudget: z.int().min(0).default(0),
  /** USD; 0 = unlimited (A11). */
  costLimitUsd: z.number().min(0).default(0),
  /** Model calls of one step that may fail, in total, before the run ends (A8: 3). */
  maxRetries: z.int().min(1).max(100).default(3),
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
  /** Times a reply cut at the token limit is asked to go on; 0 = off (A15: 2). */
  maxTokensRecoveries: z.int().min(0).default(2),
  /** Tokens left at which the run warns that it is near its budget (A16: 512). */
  reserveTokens: z.int().min(0).default(512),
  /** Share of `costLimitUsd` left at which it warns (A16: 0.1). A higher share warns earlier. */
  reserveCostFraction: z.number().min(0).max(1).default(0.1),
});

/** USD per million tokens. Overrides the built-in price table (A10). */
const Price = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0).default(0),
  cacheWrite: z.number().min(0).default(0),
});

/** One model, and how it is asked (docs/providers.md). */
const OneModel = z.strictObject({
  /**
   * What is spoken with its server: the Anthropic Messages API, OpenAI's Chat Completions API, or the latter with the
   * calls written in the content, for models that have no tool calls of their own (H12).
   */
  provider: z.enum(['anthropic', 'openai', 'openai-xml']).default('anthropic'),
  /** Which of the deployment's two model servers it is asked of: where that is are the deployment's settings. */
  server: z.enum(Object.keys(modelServers) as ServerName[]).default('primary'),
  /** The model's name at its server. */
  name: z.string().min(1),
  /** Output tokens of one reply. */
  maxTokens: z.int().min(1).max(200_000).default(8192),
  price: Price.optional(),
  /** More fields for the request body, sent as they are: `thinking`, `output_config`, … */
  request: z.record(z.string(), z.json()).default({}),
});

const Model = OneModel.extend({
  /**
   * Models to be asked, in this order, when the one before fails in a way that another may not: its account, its
   * rate limit, or its retries are spent (T14). The run stays with the one that answers; the next run begins with
   * the first again.
   */
  fallbacks: z.array(OneModel).max(5).default([]),
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
export type ProviderName = z.output<typeof OneModel>['provider'];
export type ServerName = keyof typeof modelServers;

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
