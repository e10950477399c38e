import * as z from 'zod';
import { modelServers } from '../../contract/env.ts';

/** USD per million tokens. Overrides the built-in price table (A10). */
const Price = z.strictObject({
  /** Tokens of the request that the server had not cached. */
  input: z.number().min(0),
  /** Tokens of the reply, thinking included. */
  output: z.number().min(0),
  /** Tokens that the server took from its cache. */
  cacheRead: z.number().min(0).default(0),
  /** Tokens that the server put into its cache. */
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
  /** USD per million tokens; by the list of prices when absent. */
  price: Price.optional(),
  /** More fields for the request body, sent as they are: `thinking`, `output_config`, … */
  request: z.record(z.string(), z.json()).default({}),
});

export const Model = OneModel.extend({
  /**
   * Models to be asked, in this order, when the one before fails in a way that another may not: its account, its
   * rate limit, or its retries are spent (T14). The run stays with the one that answers; the next run begins with
   * the first again.
   */
  fallbacks: z.array(OneModel).max(5).default([]),
});

export type Price = z.output<typeof Price>;
export type ProviderName = z.output<typeof OneModel>['provider'];
export type ServerName = keyof typeof modelServers;
