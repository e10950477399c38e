import type { Usage } from '../../contract/session.ts';
import { isObject, type Json, objectAt } from '../common/json.ts';
import type { UsageReader } from '../common/usage.ts';

/**
 * Usage of a chunk; undefined if it has none. `prompt_tokens` includes the cached tokens, which are billed separately,
 * so they are subtracted; so are the tokens written to the cache, which cost more since GPT-5.6. DeepSeek names the
 * cached ones `prompt_cache_hit_tokens`. Reasoning is included in `completion_tokens`.
 */
export function usageOf({ usage }: Json, counts: UsageReader): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = counts.tokensAt(usage, 'prompt_tokens') ?? 0;
  const output = counts.tokensAt(usage, 'completion_tokens') ?? 0;
  const cached =
    counts.tokensAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens') ??
    counts.tokensAt(usage, 'prompt_cache_hit_tokens') ??
    0;
  const cacheRead = Math.min(cached, prompt);
  const written = counts.tokensAt(objectAt(usage, 'prompt_tokens_details'), 'cache_write_tokens') ?? 0;
  const cacheWrite = Math.min(written, prompt - cacheRead);
  return {
    input: prompt - cacheRead - cacheWrite,
    output,
    cacheRead,
    cacheWrite,
  };
}
