import * as z from 'zod';
import { modelServers } from '../contract/env.ts';
import { AgentName } from '../contract/session.ts';
import { Approvals, type ApprovalsOption } from './approvals.ts';
import { explain } from './explain.ts';
import { builtInGuards } from './guardrails/built-in.ts';
import { Guardrails } from './guardrails/config.ts';
import { notRising } from './guardrails/counts.ts';
import type { AnyGuard } from './guardrails/guard.ts';
import { type GuardrailsOption, withPreset } from './guardrails/resolve.ts';
import { Limits } from './limits.ts';
import type { MayDecide } from './may-decide.ts';
import { freezeDeep } from './merge.ts';
import type { Tool } from './tools/define.ts';

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
const guard = z
  .custom<AnyGuard>((value) => typeof value === 'object' && value !== null && 'hooks' in value, {
    error: 'use defineGuard',
    abort: true,
  })
  .refine(({ settings = {} }) => z.json().safeParse(settings).success, {
    path: ['settings'],
    error: 'must be JSON: they are stored, so that a run keeps them',
  });

const mayDecide = z.custom<MayDecide>((value) => typeof value === 'function', 'must be a function');

const Definition = z.strictObject({
  name: AgentName,
  /** Yours; shown to operators. What a session runs on is pinned by content, not by this. */
  version: z.string().min(1).max(64),
  model: Model,
  system: z.string().min(1),
  tools: z.array(fn).default([]),
  /** The guards' configuration, after the preset is filled in (docs/guards.md). */
  guardrails: Guardrails.prefault({}),
  /** Guards of your own, after the built-in ones. */
  guards: z.array(guard).default([]),
  limits: Limits.prefault({}),
  approvals: Approvals.prefault({}),
  /** A rule of your own on who may approve calls, after those of `approvals` (docs/identity.md). */
  mayDecide: mayDecide.optional(),
});

/** What `defineAgent` takes: `guardrails` is a preset's name, or keys over those of a preset; `approvals`, `by_tool` or keys. */
export type AgentDefinition = Omit<z.input<typeof Definition>, 'guardrails' | 'approvals'> & {
  readonly guardrails?: GuardrailsOption;
  readonly approvals?: ApprovalsOption;
};
/** An agent: validated, defaults filled in, frozen. */
export type Agent = Readonly<z.output<typeof Definition>>;
export type { Approvals, Guardrails, Limits };
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
export function defineAgent(definition: AgentDefinition): Agent {
  const name = definition.name ?? '?';
  const parsed = Definition.safeParse(orThrow(name, () => withPreset(definition)));
  if (!parsed.success) throw new Error(`agent ${name}:\n${explain(parsed.error, Definition)}`);
  const names = parsed.data.tools.map((tool) => tool.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new Error(`agent ${parsed.data.name}: two tools are named ${twice}`);
  const [wrong] = notRising(parsed.data.guardrails.loop.counts, parsed.data.tools);
  if (wrong) throw new Error(`agent ${parsed.data.name}: ${wrong}`);
  const guards = [...builtInGuards(parsed.data), ...parsed.data.guards].map((guard) => guard.name);
  const taken = guards.find((name, i) => guards.indexOf(name) !== i);
  if (taken)
    throw new Error(`agent ${parsed.data.name}: two guards are named ${taken}; a name is the key of a state`);
  const { guardrails, limits } = parsed.data;
  for (const part of [guardrails, limits]) freezeDeep(part);
  for (const part of Object.values(parsed.data)) Object.freeze(part);
  return Object.freeze(parsed.data);
}

function orThrow<T>(agent: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`agent ${agent}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
