import { addUsd, fromNano } from '../../contract/money.ts';
import type { Totals, Usage } from '../../contract/session.ts';
import { type Unpriced, unpriced } from '../../contract/unpriced.ts';
import type { Price } from '../config/price.ts';
import { defined } from '../plain/defined.ts';
import type { Billing } from './billing.ts';
import type { PinnedPrice } from './pinned.ts';
import type { Used } from './reply.ts';

/** The cost of a call, and the parts of its bill that are missing from it. */
export interface Bill {
  /** In whole billionths: a finer amount is rounded up, once for each call. */
  readonly costUsd: number;
  /** In the order of `unpriced`. Absent if `costUsd` is complete. */
  readonly notInPrice?: readonly Unpriced[];
}

/**
 * The cost of one call. Everything that counts money uses this function: totals, budgets, reservations, events.
 *
 * Dollars that the server reports take precedence over a listed price, and the agent's own price over both. Without a price the
 * cost is 0.
 */
export function billOf(usage: Usage, price: PinnedPrice | undefined, billing: Billing = {}): Bill {
  const { usd, modes = [], passes = [usage], aside } = billing;
  if (usd !== undefined && (!price || price.listed)) return { costUsd: fromNano(Math.ceil(nanoOf(usd))) };
  if (!price) return { costUsd: 0, ...leftOut(['tokens', ...(billing.unpriced ?? [])]) };
  const tokens = [...passes, ...(aside ? [aside] : [])].reduce((sum, one) => sum + picoOf(one, price), 0);
  const factor = modes.reduce((product, mode) => product * (price.modes?.[mode] ?? 1), 1);
  const searches = (usage.webSearches ?? 0) * Math.round((price.webSearch ?? 0) * 1e6);
  return {
    // Multiples such as 1.1 leave a rounding error behind the last digit, which must not be rounded up.
    costUsd: fromNano(Math.ceil(Number(((tokens * factor) / 1000).toFixed(3))) + searches),
    ...leftOut([
      ...(billing.unpriced ?? []),
      ...modes.filter((mode) => price.modes?.[mode] === undefined),
      ...(usage.webSearches && price.webSearch === undefined ? (['web_search'] as const) : []),
    ]),
  };
}

/** USD of one call: see {@link billOf}. */
export const costOf = (usage: Usage, price: PinnedPrice | undefined, billing?: Billing): number =>
  billOf(usage, price, billing).costUsd;

/** A price for requests of a certain length. */
export type Rates = Required<Pick<Price, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h'>>;

/**
 * USD per million tokens of a call.
 *
 * @param prompt tokens of its request, cached ones included: they decide the tier
 */
export function ratesOf(price: Price, prompt: number): Rates {
  const tier = (price.tiers ?? [])
    .filter(({ above }) => prompt > above)
    .reduce<NonNullable<Price['tiers']>[number] | undefined>(
      (best, next) => (best && best.above >= next.above ? best : next),
      undefined,
    );
  const { input, output, cacheRead = price.cacheRead, cacheWrite = price.cacheWrite } = tier ?? price;
  const { cacheWrite1h = cacheWrite > 0 ? HOUR * input : 0 } = tier ?? price;
  return { input, output, cacheRead, cacheWrite, cacheWrite1h };
}

/** A write for an hour costs twice the input price (platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing). */
const HOUR = 2;

/** The tokens of a request. */
export const promptOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;

/** The cost of tokens, in millionths of a millionth of a dollar. */
function picoOf(usage: Usage, price: Price): number {
  const rates = ratesOf(price, promptOf(usage));
  const forAnHour = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite);
  return (
    usage.input * picoRate(rates.input) +
    usage.output * picoRate(rates.output) +
    usage.cacheRead * picoRate(rates.cacheRead) +
    (usage.cacheWrite - forAnHour) * picoRate(rates.cacheWrite) +
    forAnHour * picoRate(rates.cacheWrite1h)
  );
}

/** Converts USD for a million tokens to the cost of one token, in millionths of a millionth of a dollar. */
const picoRate = (perMillion: number): number => Math.round(perMillion * 1e6);

const nanoOf = (usd: number): number => Number((usd * 1e9).toFixed(3));

const leftOut = (found: readonly Unpriced[]): Pick<Bill, 'notInPrice'> => {
  const notInPrice = unpriced.filter((one) => found.includes(one));
  return notInPrice.length > 0 ? { notInPrice } : {};
};

/** A call as totals count it. */
export const totalsOf = ({ usage, estimated, billing }: Used, { costUsd, notInPrice }: Bill): Totals => ({
  ...(billing?.aside ? addUsage(usage, billing.aside) : usage),
  costUsd,
  ...defined({ estimated, notInPrice }),
});

/** Totals with one more call. */
export const addTotals = (totals: Totals, call: Totals): Totals => ({
  ...addUsage(totals, call),
  costUsd: addUsd(totals.costUsd, call.costUsd),
  ...infraOf(totals, call),
  ...((totals.estimated || call.estimated) && { estimated: true }),
  ...leftOut([...(totals.notInPrice ?? []), ...(call.notInPrice ?? [])]),
});

/** The tokens of both. */
export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  ...sumOf('cacheWrite1h', a, b),
  ...sumOf('webSearches', a, b),
});

function sumOf<K extends 'cacheWrite1h' | 'webSearches'>(key: K, a: Usage, b: Usage): Pick<Usage, K> {
  const sum = (a[key] ?? 0) + (b[key] ?? 0);
  return (sum > 0 ? { [key]: sum } : {}) as Pick<Usage, K>;
}

/** Absent for sessions whose infrastructure is not counted. */
const infraOf = (a: Totals, b: Totals): Pick<Totals, 'infraUsd'> =>
  a.infraUsd === undefined && b.infraUsd === undefined
    ? {}
    : { infraUsd: addUsd(a.infraUsd ?? 0, b.infraUsd ?? 0) };
