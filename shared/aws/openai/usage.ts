import type { Usage } from '../../contract/session.ts';
import { countAt, isObject, type Json, objectAt } from '../model/json.ts';

/**
 * Usage of a chunk; undefined when it has none. `prompt_tokens` includes the cached ones, which are billed apart:
 * they are subtracted (A10). DeepSeek names them `prompt_cache_hit_tokens`. Reasoning is in `completion_tokens`.
 */
export function usageOf(chunk: Json): Usage | undefined {
  const { usage } = chunk;
  if (!isObject(usage)) return undefined;
  const prompt = countAt(usage, 'prompt_tokens') ?? 0;
  const cached =
    countAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens') ??
    countAt(usage, 'prompt_cache_hit_tokens') ??
    0;
  const cacheRead = Math.min(cached, prompt);
  return {
    input: prompt - cacheRead,
    output: countAt(usage, 'completion_tokens') ?? 0,
    cacheRead,
    cacheWrite: 0,
  };
}
