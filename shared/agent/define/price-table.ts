import type { Price } from '../config/price.ts';
import { own } from '../plain/merge.ts';

/** Prices by the beginnings of model names. */
export type PriceTable = Readonly<Record<string, Price>>;

/** A model with its own price, or with that of the table's longest key with which its name begins. */
export function withPrice<Model extends { readonly name: string; readonly price?: Price | undefined }>(
  model: Model,
  table: PriceTable = {},
): Model {
  const [longest] = Object.keys(table)
    .filter((key) => model.name.startsWith(key))
    .toSorted((a, b) => b.length - a.length);
  const price = model.price ?? (longest === undefined ? undefined : own(table, longest));
  return price ? { ...model, price } : model;
}
