import type { Usage } from '../../contract/session.ts';
import { isObject, type Json, objectAt } from '../common/json.ts';
import type { UsageReader } from '../common/usage.ts';

/** The names that an API gives to its counts. */
interface Names {
  readonly prompt: string;
  readonly reply: string;
  readonly details: string;
}

const CHAT: Names = {
  prompt: 'prompt_tokens',
  reply: 'completion_tokens',
  details: 'prompt_tokens_details',
};

/** Names of the Responses API. */
export const RESPONSES: Names = {
  prompt: 'input_tokens',
  reply: 'output_tokens',
  details: 'input_tokens_details',
};

/**
 * Usage of a chunk; undefined if it has none. The tokens of the prompt include the cached tokens, which are billed
 * separately, so they are subtracted; so are the tokens written to the cache, which cost more since GPT-5.6. DeepSeek
 * names the cached ones `prompt_cache_hit_tokens`. Reasoning is included in the tokens of the reply.
 */
export function usageOf({ usage }: Json, counts: UsageReader, names: Names = CHAT): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = counts.tokensAt(usage, names.prompt) ?? 0;
  const output = counts.tokensAt(usage, names.reply) ?? 0;
  const details = objectAt(usage, names.details);
  const cached =
    counts.tokensAt(details, 'cached_tokens') ?? counts.tokensAt(usage, 'prompt_cache_hit_tokens') ?? 0;
  const cacheRead = Math.min(cached, prompt);
  const written = counts.tokensAt(details, 'cache_write_tokens') ?? 0;
  const cacheWrite = Math.min(written, prompt - cacheRead);
  return {
    input: prompt - cacheRead - cacheWrite,
    output,
    cacheRead,
    cacheWrite,
  };
}
