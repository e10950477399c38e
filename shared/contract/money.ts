/**
 * Amounts of USD. Each is a whole number of billionths: a token of a model that costs $0.10 a million is a hundred of
 * them, so a sum of calls is exact, and limits are reached exactly. In events, in the store and in definitions an
 * amount is the decimal that people read; it is counted and compared as whole numbers here, and nowhere else.
 *
 * A decimal and its billionths are the same number up to about two million dollars.
 */

const NANO = 1e9;

/** The whole billionths of an amount; digits after the ninth are rounding errors of float sums. */
export const toNano = (usd: number): number => Math.round(usd * NANO);
export const fromNano = (nano: number): number => nano / NANO;

export const addUsd = (a: number, b: number): number => fromNano(toNano(a) + toNano(b));
export const subtractUsd = (a: number, b: number): number => fromNano(toNano(a) - toNano(b));

/** An amount as people read it: exact, with at least two decimals. */
export const showUsd = (usd: number): string =>
  `$${fromNano(toNano(usd))
    .toFixed(9)
    .replace(/0{1,7}$/, '')}`;
