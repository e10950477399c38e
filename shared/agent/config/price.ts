import * as z from 'zod';
import { servingModes } from '../../contract/unpriced.ts';

const usd = z.number().min(0);

/** USD per million tokens for a request that is longer than `above`. */
const PriceTier = z.strictObject({
  /** Tokens of the request, cached ones included. A request with more tokens is charged this tier's prices for all of them. */
  above: z.int().min(1),
  /** Input tokens that were not cached. */
  input: usd,
  /** Output tokens, thinking included. */
  output: usd,
  /** The price below the tier when absent. */
  cacheRead: usd.optional(),
  /** The price below the tier when absent. */
  cacheWrite: usd.optional(),
  /** Twice this tier's `input` when absent. */
  cacheWrite1h: usd.optional(),
});

/** The price of a model, in USD per million tokens. Replaces the built-in price list. */
export const Price = z.strictObject({
  /** Input tokens that were not cached. */
  input: usd,
  /** Output tokens, thinking included. */
  output: usd,
  /** Input tokens read from the server's cache. */
  cacheRead: usd.default(0),
  /** Input tokens written to the server's cache, for five minutes if the server has several lifetimes. */
  cacheWrite: usd.default(0),
  /** Input tokens written to the server's cache for an hour. When absent, twice `input`, or 0 if `cacheWrite` is 0. */
  cacheWrite1h: usd.optional(),
  /** USD for 1,000 web searches that the model's server runs. When absent, replies with searches report them in `notInPrice`. */
  webSearch: usd.optional(),
  /** Prices of long requests. The highest tier that a request exceeds applies to the whole call. */
  tiers: z.array(PriceTier).max(5).optional(),
  /**
   * Multiples of the price for calls that the server says it served in another mode: `{ flex: 0.5 }`. A mode that is not listed
   * is charged as 1, and the reply reports it in `notInPrice`.
   */
  modes: z.partialRecord(z.enum(servingModes), z.number().min(0).max(100)).optional(),
});
export type Price = z.output<typeof Price>;
