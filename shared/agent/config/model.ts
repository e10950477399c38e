import * as z from 'zod';
import { Cache } from './cache.ts';
import { Price } from './price.ts';
import { ServerTool } from './server-tools.ts';

/**
 * The built-in protocols: Anthropic's Messages API, OpenAI's Chat Completions and Responses API, Bedrock's Converse API, and
 * Google's Gemini API.
 */
export const builtInProviders = [
  'anthropic',
  'openai',
  'openai-xml',
  'openai-responses',
  'bedrock-converse',
  'gemini',
] as const;
export type BuiltInProvider = (typeof builtInProviders)[number];

/**
 * Kinds of model server that expect different things of the same API; the table in `shared/models/dialects.ts` lists them.
 * `compatible` is any server of Chat Completions about which nothing is known.
 */
export const dialectNames = [
  'anthropic',
  'bedrock',
  'openai',
  'azure',
  'gemini',
  'mistral',
  'kimi',
  'deepseek',
  'openrouter',
  'vllm',
  'ollama',
  'compatible',
] as const;
export type DialectName = (typeof dialectNames)[number];

/** Kinds of content that a model may read besides text. */
const media = ['image', 'document'] as const;
export type Medium = (typeof media)[number];

/** One model, and how it is asked (docs/providers.md). */
const OneModel = z.strictObject({
  /**
   * The protocol of its server. `anthropic`: the Anthropic Messages API. `openai`: OpenAI's Chat Completions API. `openai-xml`:
   * the latter with calls written in the content, for models without tool calls of their own. `openai-responses`: OpenAI's
   * Responses API, with nothing stored on the server. `bedrock-converse`: Amazon Bedrock's Converse API. `gemini`: Google's Gemini
   * API. Or the name of one of the deployment's `providers`.
   */
  provider: z.string().min(1).default('anthropic'),
  /** The server that serves it, by its name in the deployment's `models`. */
  server: z.string().min(1).default('primary'),
  /** The model's name on its server. */
  name: z.string().min(1),
  /**
   * The demands of its server on a request beyond the API (docs/providers.md). When absent, it follows from the server's address,
   * or from the model's name if a gateway stands in front of several servers. Set it for a proxy whose address says nothing.
   */
  dialect: z.enum(dialectNames).optional(),
  /** Output tokens of one reply. */
  maxTokens: z.int().min(1).max(200_000).default(8192),
  /** Tokens of request and reply that it takes; from the price list when absent (docs/context.md). */
  window: z.int().min(1_000).max(10_000_000).optional(),
  /**
   * The files that it reads, of those that people and tools send (docs/attachments.md): images, documents, both or none. When absent,
   * both for `anthropic`, and none for any other provider. Other files are named to it as text.
   */
  accepts: z.array(z.enum(media)).optional(),
  /** USD per million tokens; from the price list when absent. */
  price: Price.optional(),
  /**
   * How long its server keeps the tools, the system prompt and the messages in its prompt cache (docs/providers.md, "Prompt
   * cache"): `{ tools: '1h', system: '1h', messages: '5m' }`. Five minutes each when absent. `false` places no marks.
   */
  cache: Cache.optional(),
  /**
   * Tools that its server runs itself, as that server declares them: `{ type: 'web_search_20260209', name: 'web_search',
   * max_uses: 3 }` (docs/providers.md, "Server tools").
   */
  serverTools: z.array(ServerTool).max(32).optional(),
  /** More fields for the request body, sent as they are: `thinking`, `output_config`, … */
  request: z.record(z.string(), z.json()).default({}),
});

export const Model = OneModel.extend({
  /**
   * Models to ask, in this order, when the one before fails in a way that another may not: a problem with its account, its rate
   * limit, or spent retries. The run stays with the one that answers; the next run begins with the first again.
   */
  fallbacks: z.array(OneModel).max(5).default([]),
  /**
   * The model that sums up what leaves the context (docs/context.md). When absent, the run's own model: it has read all of it
   * already, so its server has most of the request in its cache.
   */
  summarizer: OneModel.optional(),
  /** The model that assesses the progress of a run, if `guardrails.progress` is on. When absent, the run's own model. */
  judge: OneModel.optional(),
});

/** A model as a definition writes it. */
export type ModelOption = z.input<typeof Model>;
