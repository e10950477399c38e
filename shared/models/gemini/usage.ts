import type { Json } from '../common/json.ts';

/**
 * The usage of a reply in the form of the Messages API. The tokens of the prompt include the cached ones, those that the
 * server's own tools have read are separate, and thoughts are billed as output
 * (ai.google.dev/api/generate-content#UsageMetadata, ai.google.dev/gemini-api/docs/thinking#pricing).
 */
export function usageOf(told: Json): Json {
  const { promptTokenCount: prompt, cachedContentTokenCount: cached, serviceTier } = told;
  const cacheRead = isCount(cached) && isCount(prompt) ? Math.min(cached, prompt) : cached;
  return {
    input_tokens: sum(
      isCount(prompt) && isCount(cacheRead) ? prompt - cacheRead : prompt,
      told.toolUsePromptTokenCount,
    ),
    output_tokens: sum(told.candidatesTokenCount, told.thoughtsTokenCount),
    cache_read_input_tokens: cacheRead,
    ...(typeof serviceTier === 'string' && { service_tier: serviceTier.toLowerCase() }),
  };
}

const isCount = (told: unknown): told is number => typeof told === 'number';

/** The sum of two counts. One that is no number stays, so that it is reported. */
function sum(first: unknown, second: unknown): unknown {
  if (isCount(first) && isCount(second)) return first + second;
  return first ?? second;
}
