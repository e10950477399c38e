import * as z from 'zod';
import { Cache } from './cache.ts';
import { Price } from './price.ts';
import { ServerTool } from './server-tools.ts';

/** What can be spoken with a server without more: the Messages API of Anthropic, and OpenAI's Chat Completions. */
export const builtInProviders = ['anthropic', 'openai', 'openai-xml'] as const;
export type BuiltInProvider = (typeof builtInProviders)[number];

/**
 * Kinds of model server that want different things of the same API: what each wants is the table in `shared/models/dialects.ts`.
 * `compatible` is any server of Chat Completions of which nothing is known.
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

/** What a model may read beside text. */
const media = ['image', 'document'] as const;
export type Medium = (typeof media)[number];

/** One model, and how it is asked (docs/providers.md). */
const OneModel = z.strictObject({
  /**
   * What is spoken with its server. `anthropic`: the Anthropic Messages API. `openai`: OpenAI's Chat Completions API.
   * `openai-xml`: the latter with the calls written in the content, for models that have no tool calls of their own (H12).
   * Or the name of one of the deployment's `providers`.
   */
  provider: z.string().min(1).default('anthropic'),
  /** The server that it is asked of, by its name in the deployment's `models`. */
  server: z.string().min(1).default('primary'),
  /** The model's name at its server. */
  name: z.string().min(1),
  /**
   * What its server wants of a request beyond the API (docs/providers.md). When absent, the server's address says it, or the
   * model's name where a gateway stands in front of several servers. Set it for a proxy whose address tells nothing.
   */
  dialect: z.enum(dialectNames).optional(),
  /** Output tokens of one reply. */
  maxTokens: z.int().min(1).max(200_000).default(8192),
  /** Tokens of request and reply that it takes; by the list of prices when absent (docs/context.md). */
  window: z.int().min(1_000).max(10_000_000).optional(),
  /**
   * What it reads of what people and tools send (docs/attachments.md): images, documents, both or none. When absent, both of
   * `anthropic`, and none of any other provider. What it does not read is named to it as text.
   */
  accepts: z.array(z.enum(media)).optional(),
  /** USD per million tokens; by the list of prices when absent. */
  price: Price.optional(),
  /**
   * How long its server keeps the tools, the system prompt and the messages in its prompt cache (docs/providers.md, "Prompt
   * cache"): `{ tools: '1h', system: '1h', messages: '5m' }`. Five minutes each when absent. `false` places no marks.
   */
  cache: Cache.optional(),
  /**
   * Tools that its server runs by itself, as that server declares them: `{ type: 'web_search_20260209', name: 'web_search',
   * max_uses: 3 }` (docs/providers.md, "Server tools").
   */
  serverTools: z.array(ServerTool).max(32).optional(),
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
  /**
   * Who sums up what leaves the context (docs/context.md). The run's own model when absent: it has read all of it already, so
   * its server has most of the request in its cache.
   */
  summarizer: OneModel.optional(),
});

/** A model as a definition writes it. */
export type ModelOption = z.input<typeof Model>;
