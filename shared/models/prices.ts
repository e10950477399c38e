/** Prices of models, for pinning a definition. The table is 830 KB, and is loaded when a session begins. */

import type { ModelPrice, PriceCalculation } from '@pydantic/genai-prices';
import { defined } from '../agent/plain/defined.ts';
import type { ListedPrice, PinnedPrice, PriceOf } from '../agent/session/pinned.ts';
import { log } from '../logger.ts';
import { modesOf } from './modes.ts';
import { namesOf } from './names.ts';
import { windowOf } from './windows.ts';

/** Models for which this process has already logged that no price is known. */
const unknown = new Set<string>();

/**
 * The price of a model with its tiers, and the model's window in tokens if known. If the price depends on the time of
 * day (DeepSeek's nights), the most expensive hour counts, because a session keeps its price for its whole life.
 */
export const priceOf: PriceOf = async (model, isDeclared = false) => {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const listed = (name: string, where = {}) =>
    hoursOf(new Date())
      .map((timestamp) => calcPrice(NOTHING, name, { ...where, timestamp }))
      .flatMap((found) => (found && toListed(found)) ?? [])
      .reduce<ListedPrice | undefined>(
        (best, next) => (best && best.output >= next.output ? best : next),
        undefined,
      );
  for (const { name, cloud } of namesOf(model)) {
    const price = listed(name) ?? (cloud ? listed(name, BEDROCK) : undefined);
    if (price) return price;
  }
  if (!isDeclared && !unknown.has(model)) {
    log('warn', 'no price is known for a model: limits in dollars do not see it', { model });
    unknown.add(model);
  }
  return undefined;
};

/** Hours of a day that cover every tariff: none is shorter than four hours. */
const hoursOf = (day: Date): Date[] =>
  [0, 4, 8, 12, 16, 20].map((hour) => new Date(new Date(day).setUTCHours(hour, 0, 0, 0)));

const NOTHING = { input_tokens: 0, output_tokens: 0 };
/** The table's own name for Amazon Bedrock, which has prices of its own and models that are nowhere else. */
const BEDROCK = { providerId: 'aws' };

function toListed({ provider, model, model_price }: PriceCalculation): ListedPrice | undefined {
  const price = toPrice(model_price);
  const window = windowOf(model.id, model.context_window);
  const modes = modesOf(provider.id, model.id);
  return price && { ...price, ...defined({ modes }), ...(window && { window }), listed: true };
}

function toPrice(prices: ModelPrice): PinnedPrice | undefined {
  const base = ratesIn(prices, baseOf);
  if (!base) return undefined;
  const webSearch = baseOf(prices.web_searches_kcount);
  const tiers = startsIn(prices).flatMap((above) => {
    const rates = ratesIn(prices, (price) => tierOf(price, above));
    return rates ? [{ above, ...rates }] : [];
  });
  return {
    ...base,
    ...defined({ webSearch }),
    ...(tiers.length > 0 && { tiers }),
  };
}

type Listed = ModelPrice[string];

function ratesIn(prices: ModelPrice, of: (price: Listed) => number | undefined) {
  const input = of(prices.input_mtok);
  const output = of(prices.output_mtok);
  if (input === undefined || output === undefined) return undefined;
  const cacheWrite1h = of(prices.cache_write_1h_mtok);
  return {
    input,
    output,
    // If caching has no price of its own, cached tokens are billed as input.
    cacheRead: of(prices.cache_read_mtok) ?? input,
    cacheWrite: of(prices.cache_write_mtok) ?? input,
    ...defined({ cacheWrite1h }),
  };
}

const baseOf = (price: Listed): number | undefined => (typeof price === 'object' ? price.base : price);

/** The price for requests of more than `above` tokens. */
const tierOf = (price: Listed, above: number): number | undefined =>
  typeof price === 'object'
    ? price.tiers.reduce((found, { start, price: tier }) => (start <= above ? tier : found), price.base)
    : price;

/** Request lengths above which some price changes: it applies from the next token on. */
const startsIn = (prices: ModelPrice): number[] => {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)].sort((a, b) => a - b);
};
