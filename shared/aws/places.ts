import { own } from '../agent/plain/merge.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';

/** The holders of one item's places, each with a number that it chose. */
export type Held = Readonly<Record<string, number>>;

/** Whether a place was taken, and the item's holders now. */
export interface Taken {
  readonly taken: boolean;
  readonly held: Held;
  /** The whole item. */
  readonly item: Item;
}

/**
 * Places that limit how much happens at once. Each item has a bounded number of them, and one conditional write takes
 * one.
 */
export interface Places {
  /** Takes a place if fewer than `max` are held, or sets the number of a place that `id` already holds. */
  take(item: ItemKey, id: string, value: number, max: number): Promise<Taken>;
  /** Sets the number of a place if it is `from` now. Returns whether the place was there. */
  change(item: ItemKey, id: string, from: number, to: number): Promise<boolean>;
  /** Frees a place, whatever its number. */
  drop(item: ItemKey, id: string): Promise<void>;
  /** Frees those of these places that still have these numbers. Returns whether all had them. */
  free(item: ItemKey, held: Held): Promise<boolean>;
}

/**
 * Places of one item. A write is billed by the item's size, and a place is about 50 bytes: this many are 5 KB and take
 * 5 units, of which a partition has 1,000 a second. That is 200 starts a second; it would be too few only if holders
 * ended within half a second.
 */
export const PLACES_OF_ITEM = 100;

/** Places freed by one write: each is a clause of its condition, which has 4 KB. */
const CHUNK = 100;

export function createPlaces(dynamo: Dynamo): Places {
  return {
    async take(key, id, value, max) {
      const isThere = 'attribute_exists(#places.#id)';
      const hasRoom = 'size(#places) < :max';
      while (true) {
        const taken = await dynamo.update({
          key,
          set: ['#places.#id = :value'],
          when: ['attribute_exists(#places)', `${isThere} OR ${hasRoom}`],
          values: { value, max },
          names: { '#id': id },
        });
        const { item } = taken;
        if (item?.places) return { taken: taken.kind === 'written', held: item.places, item };
        const first = await dynamo.update({
          key,
          set: ['#places = :first'],
          when: ['attribute_not_exists(#places)'],
          values: { first: { [id]: value } },
        });
        if (first.kind === 'written') return { taken: true, held: first.item.places, item: first.item };
      }
    },

    async change(key, id, from, to) {
      const changed = await dynamo.update({
        key,
        set: ['#places.#id = :to'],
        when: ['#places.#id = :from'],
        values: { from, to },
        names: { '#id': id },
      });
      return changed.kind === 'written';
    },

    async drop(key, id) {
      await dynamo.update({
        key,
        remove: ['#places.#id'],
        when: ['attribute_exists(#places.#id)'],
        names: { '#id': id },
      });
    },

    async free(key, held) {
      const all = Object.entries(held);
      let hadAll = true;
      for (let from = 0; from < all.length; from += CHUNK) {
        let left = all.slice(from, from + CHUNK);
        // Each refusal names a place that was freed or taken again, so fewer are left each time; the others may be freed.
        while (left.length > 0) {
          const refused = await freeAll(dynamo, key, left);
          if (!refused) break;
          hadAll = false;
          left = left.filter(([id, value]) => own(refused, id) === value);
        }
      }
      return hadAll;
    },
  };
}

/** Frees all of them, or none if one has another number by now; then it returns the holders. */
async function freeAll(
  dynamo: Dynamo,
  key: ItemKey,
  held: readonly (readonly [string, number])[],
): Promise<Held | undefined> {
  if (held.length === 0) return undefined;
  const freed = await dynamo.update({
    key,
    remove: held.map((_, i) => `#places.#id${i}`),
    when: held.map((_, i) => `#places.#id${i} = :value${i}`),
    values: Object.fromEntries(held.map(([, value], i) => [`value${i}`, value])),
    names: Object.fromEntries(held.map(([id], i) => [`#id${i}`, id])),
  });
  return freed.kind === 'refused' ? (freed.item?.places ?? {}) : undefined;
}
