import type { Dynamo, ItemKey } from './dynamo.ts';

/** Who holds the places of one item, each with a number that its holder gave it. */
export type Held = Readonly<Record<string, number>>;

/** Places for what may go on at once: one item, and one conditional write to take one. */
export interface Places {
  /** Takes a place, or sets the number of the one that is held already. Shows who holds them now. */
  take(item: ItemKey, id: string, value: number): Promise<{ readonly taken: boolean; readonly held: Held }>;
  /** Sets the number of a place, unless somebody has set another one since. */
  change(item: ItemKey, id: string, from: number, to: number): Promise<void>;
  /** Frees those of these places that still have these numbers. */
  free(item: ItemKey, held: Held): Promise<void>;
}

/** Places freed by one write: each is a clause of its condition, which has 4 KB. */
const CHUNK = 100;

/** @param max how many there are in one item */
export function createPlaces(dynamo: Dynamo, max: number): Places {
  const places: Places = {
    async take(key, id, value) {
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
        const held = taken.item?.places;
        if (held) return { taken: taken.kind === 'written', held };
        await dynamo.update({
          key,
          set: ['#places = if_not_exists(#places, :none)'],
          when: [],
          values: { none: {} },
        });
      }
    },

    async change(key, id, from, to) {
      await dynamo.update({
        key,
        set: ['#places.#id = :to'],
        when: ['#places.#id = :from'],
        values: { from, to },
        names: { '#id': id },
      });
    },

    async free(key, held) {
      const all = Object.entries(held);
      for (let from = 0; from < all.length; from += CHUNK) {
        const chunk = all.slice(from, from + CHUNK);
        const refused = await freeAll(dynamo, key, chunk);
        // Some of them were taken again; the others may go.
        if (refused) {
          await freeAll(
            dynamo,
            key,
            chunk.filter(([id, value]) => refused[id] === value),
          );
        }
      }
    },
  };
  return places;
}

/** Frees all of them, or none when one has another number now: then who holds which. */
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
