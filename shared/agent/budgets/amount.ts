import { toNano } from '../../contract/money.ts';
import type { Usage } from '../../contract/session.ts';
import { costOf } from '../session/cost.ts';
import type { PinnedModel } from '../session/pinned.ts';
import { totalTokens } from '../session/session.ts';

/** What a tenant's day is limited in. */
export const dimensions = ['tokens', 'microUsd', 'steps'] as const;
export type Dimension = (typeof dimensions)[number];

/**
 * Tokens (input and output, as in A9), millionths of a dollar, and steps. Whole numbers, so that sums of them are exact
 * in every store.
 */
export type Amount = Readonly<Record<Dimension, number>>;

export const nothing: Amount = { tokens: 0, microUsd: 0, steps: 0 };

/** An amount of what `of` says for each dimension. */
export const amountOf = (of: (dimension: Dimension) => number): Amount => ({
  tokens: of('tokens'),
  microUsd: of('microUsd'),
  steps: of('steps'),
});
export const plus = (a: Amount, b: Amount): Amount => amountOf((d) => a[d] + b[d]);
export const minus = (a: Amount, b: Amount): Amount => amountOf((d) => a[d] - b[d]);

/** What `have` falls short of `want`; 0 where it does not. */
export const shortOf = (want: Amount, have: Amount): Amount =>
  amountOf((d) => Math.max(0, want[d] - have[d]));
export const isNothing = (amount: Amount): boolean => dimensions.every((d) => amount[d] === 0);

/** The most that a call may buy: its estimated input at the dearest price of input, all output it may write, one step. */
export function mostOf(
  inputTokens: number,
  { maxTokens, price }: Pick<PinnedModel, 'maxTokens' | 'price'>,
): Amount {
  const dearest = price && Math.max(price.input, price.cacheRead, price.cacheWrite);
  const usage = { input: inputTokens, output: maxTokens, cacheRead: 0, cacheWrite: 0 };
  const atMost = price && { ...price, input: dearest ?? price.input };
  return { tokens: inputTokens + maxTokens, microUsd: toMicroUsd(costOf(usage, atMost)), steps: 1 };
}

/** What a call has bought. */
export const boughtBy = (usage: Usage, price: PinnedModel['price']): Amount => ({
  tokens: totalTokens(usage),
  microUsd: toMicroUsd(costOf(usage, price)),
  steps: 1,
});

/**
 * Rounded up: a tenant is charged a millionth of a dollar too much for a call, never too little. A limit however small is one:
 * 0 would be none.
 */
export const toMicroUsd = (usd: number): number => (usd > 0 ? Math.max(1, Math.ceil(toNano(usd) / 1000)) : 0);
