import type { Cache } from '../../agent/config/cache.ts';
import { type Lifetimes, lifetimesOf } from '../../agent/session/cache.ts';
import type { CachePoint, WireMessage } from './wire.ts';

/** Models that take cache points in any part, and those that take none on tools and none for an hour. */
const CLAUDE = /(?:^|[./])anthropic\.claude/;
const NOVA = /(?:^|[./])amazon\.nova/;

/**
 * How long each part of a request is cached. Bedrock refuses cache points of models without a prompt cache
 * (BerriAI/litellm#39210), so another model, or a profile whose ARN hides its model, has them only if the agent sets
 * `cache` (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html).
 */
export function cachedParts(model: string, cache: Cache | undefined): Lifetimes {
  if (NOVA.test(model)) {
    const { system, messages } = lifetimesOf(cache);
    return { tools: false, system: system && '5m', messages: messages && '5m' };
  }
  return lifetimesOf(CLAUDE.test(model) ? cache : (cache ?? false));
}

/** The mark at the end of a part; none if the part is not cached. */
export const markOf = (lifetime: Lifetimes['tools']): CachePoint[] =>
  lifetime === false ? [] : [{ cachePoint: { type: 'default', ...(lifetime === '1h' && { ttl: '1h' }) } }];

/**
 * The messages with marks at the end of the user's last two: the next request looks for its beginning at the first of
 * them. With tools and system prompt these are the four that a request may have.
 */
export function markedMessages(
  messages: readonly WireMessage[],
  lifetime: Lifetimes['messages'],
): readonly WireMessage[] {
  if (lifetime === false) return messages;
  const ofUser = messages.flatMap(({ role }, at) => (role === 'user' ? [at] : [])).slice(-2);
  return messages.map((message, at) =>
    ofUser.includes(at) ? { ...message, content: [...message.content, ...markOf(lifetime)] } : message,
  );
}
