import type { Totals, Usage } from '../contract/session.ts';
import type { Price } from './define.ts';

/** USD of one call: prices are per million tokens; cached tokens are not in `input` (A10). No price, no cost. */
export function costOf(usage: Usage, price: Price | undefined): number {
  if (!price) return 0;
  const micro =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite;
  return micro / 1e6;
}

/** Totals with one more call (A9). */
export function addUsage(totals: Totals, usage: Usage, costUsd: number): Totals {
  return {
    input: totals.input + usage.input,
    output: totals.output + usage.output,
    cacheRead: totals.cacheRead + usage.cacheRead,
    cacheWrite: totals.cacheWrite + usage.cacheWrite,
    costUsd: totals.costUsd + costUsd,
  };
}
