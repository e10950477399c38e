import { isObject, type Json, objectAt } from '../common/json.ts';

/**
 * The usage of an answer in the form of the Messages API. `inputTokens` excludes cached ones
 * (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html).
 */
export function usageOf(metadata: Json): Json {
  const usage = objectAt(metadata, 'usage');
  const { cacheDetails } = usage;
  const lives = Array.isArray(cacheDetails) ? cacheDetails.filter(isObject) : [];
  const writtenFor = (ttl: string) => lives.find((one) => one.ttl === ttl)?.inputTokens;
  const { type: tier } = objectAt(metadata, 'serviceTier');
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
    cache_creation_input_tokens: usage.cacheWriteInputTokens,
    ...(lives.length > 0 && {
      cache_creation: {
        ephemeral_5m_input_tokens: writtenFor('5m') ?? 0,
        ephemeral_1h_input_tokens: writtenFor('1h') ?? 0,
      },
    }),
    ...(typeof tier === 'string' && { service_tier: tier === 'default' ? 'standard' : tier }),
  };
}
