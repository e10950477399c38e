import type { Cache, Lifetime } from '../config/cache.ts';
import { isRecord } from '../plain/merge.ts';

/** How long each part of a request is cached. */
export type Lifetimes = Readonly<Record<'tools' | 'system' | 'messages', Lifetime>>;

/** The lifetimes that a setting means. A part that it does not name lives as long as the parts after it. */
export function lifetimesOf(cache: Cache | undefined): Lifetimes {
  if (cache === false) return { tools: false, system: false, messages: false };
  const { messages = '5m' } = cache ?? {};
  const { system = messages } = cache ?? {};
  const { tools = longer(system, messages) } = cache ?? {};
  return { tools, system, messages };
}

const longer = (a: Lifetime, b: Lifetime): Lifetime => (a === '1h' || b === '1h' ? '1h' : a || b);

/** Whether the server may write something to its cache for an hour, by the agent's setting or its own field of the request. */
export function writesForAnHour({
  cache,
  request: { cache_control: own },
}: {
  readonly cache?: Cache;
  readonly request: Readonly<Record<string, unknown>>;
}): boolean {
  return (isRecord(own) && own.ttl === '1h') || Object.values(lifetimesOf(cache)).includes('1h');
}
