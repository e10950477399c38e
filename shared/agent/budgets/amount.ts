import { toNano } from '../../contract/money.ts';

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

/**
 * Rounded up: a tenant is charged up to a millionth of a dollar too much for a call, never too little. A limit, however small,
 * stays at least 1, because 0 would mean no limit.
 */
export const toMicroUsd = (usd: number): number => (usd > 0 ? Math.max(1, Math.ceil(toNano(usd) / 1000)) : 0);
