import { addUsd, fromNano } from '../../contract/money.ts';
import type { Totals, Usage } from '../../contract/session.ts';
import type { Price } from '../config/model.ts';
import type { Used } from './reply.ts';

/**
 * USD of one call: prices are per million tokens; cached tokens are not in `input` (A10). No price, no cost. Whole billionths
 * of a dollar: of a price that is finer, what is left of a call is rounded up, once.
 */
export function costOf(usage: Usage, price: Price | undefined): number {
  if (!price) return 0;
  const pico =
    usage.input * picoOf(price.input) +
    usage.output * picoOf(price.output) +
    usage.cacheRead * picoOf(price.cacheRead) +
    usage.cacheWrite * picoOf(price.cacheWrite);
  return fromNano(Math.ceil(pico / 1000));
}

/** USD for a million tokens as what one of them costs, in millionths of a millionth of a dollar. */
const picoOf = (perMillion: number): number => Math.round(perMillion * 1e6);

/** A call as totals have it. */
export const totalsOf = ({ usage, estimated }: Used, costUsd: number): Totals => ({
  ...usage,
  costUsd,
  ...(estimated && { estimated }),
});

/** Totals with one more call (A9). */
export const addTotals = (totals: Totals, call: Totals): Totals => ({
  input: totals.input + call.input,
  output: totals.output + call.output,
  cacheRead: totals.cacheRead + call.cacheRead,
  cacheWrite: totals.cacheWrite + call.cacheWrite,
  costUsd: addUsd(totals.costUsd, call.costUsd),
  ...infraOf(totals, call),
  ...((totals.estimated || call.estimated) && { estimated: true }),
});

/** Sessions that nobody counts it for have none. */
const infraOf = (a: Totals, b: Totals): Pick<Totals, 'infraUsd'> =>
  a.infraUsd === undefined && b.infraUsd === undefined
    ? {}
    : { infraUsd: addUsd(a.infraUsd ?? 0, b.infraUsd ?? 0) };
