/** The amounts of model calls. Loaded with the first call. */

import type { Usage } from '../../contract/session.ts';
import type { ServingMode } from '../../contract/unpriced.ts';
import type { Billing } from '../session/billing.ts';
import { writesForAnHour } from '../session/cache.ts';
import { addUsage, costOf, ratesOf } from '../session/cost.ts';
import type { PinnedModel } from '../session/pinned.ts';
import { noUsage, totalTokens } from '../session/session.ts';
import { type Amount, toMicroUsd } from './amount.ts';

/** The settings of a model that bound the cost of a call. */
type Costing = Pick<PinnedModel, 'maxTokens' | 'price' | 'cache' | 'serverTools'> &
  Partial<Pick<PinnedModel, 'request'>>;

/**
 * The most that a call may buy: its estimated input at the highest input price that may apply (a cache write for an hour only if
 * the agent asks for one), all the output it may write, the searches that its server may run, and one step. Both are priced for a
 * request of that length, and for the most expensive serving mode that the agent asks for.
 */
export function mostOf(inputTokens: number, model: Costing): Amount {
  const { maxTokens, price, serverTools = [], request = {} } = model;
  const usage = { ...noUsage, input: inputTokens, output: maxTokens, webSearches: mostSearches(serverTools) };
  const amount = { tokens: inputTokens + maxTokens, microUsd: 0, steps: 1 };
  if (!price) return amount;
  const { input, cacheRead, cacheWrite, cacheWrite1h, output } = ratesOf(price, inputTokens);
  const writes = writesForAnHour({ ...model, request }) ? cacheWrite1h : cacheWrite;
  const { tiers: _, ...others } = price;
  const atMost = { ...others, input: Math.max(input, cacheRead, writes), output };
  const modes = modesAsked(request).filter((mode) => (price.modes?.[mode] ?? 1) > 1);
  return { ...amount, microUsd: toMicroUsd(costOf(usage, atMost, { modes })) };
}

/** The serving modes that a request asks for, if a server may charge more for them. */
function modesAsked({
  service_tier: tier,
  speed,
  inference_geo: geo,
}: PinnedModel['request']): ServingMode[] {
  return [
    ...(tier === 'priority' || tier === 'fast' ? (['priority'] as const) : []),
    ...(speed === 'fast' ? (['fast'] as const) : []),
    ...(geo === 'us' ? (['us'] as const) : []),
  ];
}

/** A server pauses the turn after ten rounds of its tools, so this many searches are reserved if no `max_uses` bounds them. */
const SEARCHES = 10;

const mostSearches = (tools: NonNullable<PinnedModel['serverTools']>): number =>
  tools
    .filter(({ type }) => type.startsWith('web_search'))
    .reduce((sum, { max_uses: most }) => sum + (typeof most === 'number' && most > 0 ? most : SEARCHES), 0);

/** The purchase of a call. */
export const boughtBy = (usage: Usage, price: PinnedModel['price'], billing?: Billing): Amount => ({
  tokens: totalTokens(billing?.aside ? addUsage(usage, billing.aside) : usage),
  microUsd: toMicroUsd(costOf(usage, price, billing)),
  steps: 1,
});
