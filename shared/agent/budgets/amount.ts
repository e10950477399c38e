import { toNano } from '../../contract/money.ts';
import type { Usage } from '../../contract/session.ts';
import type { ServingMode } from '../../contract/unpriced.ts';
import type { Billing } from '../session/billing.ts';
import { writesForAnHour } from '../session/cache.ts';
import { addUsage, costOf, ratesOf } from '../session/cost.ts';
import type { PinnedModel } from '../session/pinned.ts';
import { noUsage, totalTokens } from '../session/session.ts';

/** The dimensions in which a tenant's day is limited. */
export const dimensions = ['tokens', 'microUsd', 'steps'] as const;
export type Dimension = (typeof dimensions)[number];

/** Tokens (input and output), millionths of a dollar, and steps. Whole numbers, so that their sums are exact in every store. */
export type Amount = Readonly<Record<Dimension, number>>;

export const nothing: Amount = { tokens: 0, microUsd: 0, steps: 0 };

/** An amount with the value that `of` returns for each dimension. */
export const amountOf = (of: (dimension: Dimension) => number): Amount => ({
  tokens: of('tokens'),
  microUsd: of('microUsd'),
  steps: of('steps'),
});
export const plus = (a: Amount, b: Amount): Amount => amountOf((d) => a[d] + b[d]);
export const minus = (a: Amount, b: Amount): Amount => amountOf((d) => a[d] - b[d]);

/** How much `have` falls short of `want`; 0 where it does not. */
export const shortOf = (want: Amount, have: Amount): Amount =>
  amountOf((d) => Math.max(0, want[d] - have[d]));
export const isNothing = (amount: Amount): boolean => dimensions.every((d) => amount[d] === 0);

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

/**
 * Rounded up: a tenant is charged up to a millionth of a dollar too much for a call, never too little. A limit, however small,
 * stays at least 1, because 0 would mean no limit.
 */
export const toMicroUsd = (usd: number): number => (usd > 0 ? Math.max(1, Math.ceil(toNano(usd) / 1000)) : 0);
