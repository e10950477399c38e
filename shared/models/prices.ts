/** Prices of models, for pinning a definition. The table weighs 830 KB, and is loaded when a session begins. */

import type { ModelPrice } from '@pydantic/genai-prices';
import type { Price } from '../agent/config/model.ts';
import type { ListedPrice, PriceOf } from '../agent/session/pinned.ts';
import { log } from '../logger.ts';
import { namesOf } from './names.ts';
import { windowOf } from './windows.ts';

/** Models that this process has said of that nobody knows their price. */
const unknown = new Set<string>();

/**
 * USD per million tokens, of the first tier where a price depends on the prompt's length, and of the dearest hour where it
 * depends on the time of day (DeepSeek's nights): a session keeps its price for as long as it lives. With it the model's
 * window in tokens, where that is known.
 */
export const priceOf: PriceOf = async (model) => {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const listed = (name: string, where = {}) =>
    hoursOf(new Date())
      .map((timestamp) => calcPrice(NOTHING, name, { ...where, timestamp }))
      .flatMap(
        (found) =>
          (found && toListed(found.model_price, windowOf(found.model.id, found.model.context_window))) ?? [],
      )
      .reduce<ListedPrice | undefined>(
        (best, next) => (best && best.output >= next.output ? best : next),
        undefined,
      );
  for (const { name, cloud } of namesOf(model)) {
    const price = listed(name) ?? (cloud ? listed(name, BEDROCK) : undefined);
    if (price) return price;
  }
  if (!unknown.has(model))
    log('warn', 'no price is known for a model: limits in dollars do not see it', { model });
  unknown.add(model);
  return undefined;
};

/** Times of a day that its tariffs are known by: none of them is shorter. */
const hoursOf = (day: Date): Date[] =>
  [0, 4, 8, 12, 16, 20].map((hour) => new Date(new Date(day).setUTCHours(hour, 0, 0, 0)));

const NOTHING = { input_tokens: 0, output_tokens: 0 };
/** The table's own name of Amazon Bedrock: it has prices of its own, and models that are nowhere else. */
const BEDROCK = { providerId: 'aws' };

function toListed(prices: ModelPrice, window: number | undefined): ListedPrice | undefined {
  const price = toPrice(prices);
  return price && { ...price, ...(window && { window }) };
}

function toPrice(prices: ModelPrice): Price | undefined {
  const input = baseOf(prices.input_mtok);
  const output = baseOf(prices.output_mtok);
  if (input === undefined || output === undefined) return undefined;
  // Where caching has no price of its own, cached tokens are billed as input.
  const { cache_read_mtok: read, cache_write_mtok: write } = prices;
  return { input, output, cacheRead: baseOf(read) ?? input, cacheWrite: baseOf(write) ?? input };
}

const baseOf = (price: ModelPrice[string]): number | undefined =>
  typeof price === 'object' ? price.base : price;
