import type { Dynamo, Item, Written } from './dynamo.ts';

/** What is done with HEADs. */
export type Heads = Pick<Dynamo, 'get' | 'update'>;

/** The clause that a session is there: neither nothing nor a tombstone, which has no epoch (`lazy/graves.ts`). */
export const isLiving = 'attribute_exists(#epoch)';

/** HEAD of a session; undefined for a tombstone. It has been read with its epoch. */
export const livingHead = (head: Item | undefined): Item | undefined =>
  head?.epoch === undefined ? undefined : head;

/** The table, as those see it who ask for HEADs and nothing else: a session that was deleted has none. */
export const headsIn = (dynamo: Heads): Heads => ({
  get: async (...asked) => livingHead(await dynamo.get(...asked)),
  update: async (update) => seen(await dynamo.update(update)),
});

const seen = (written: Written): Written =>
  written.kind === 'refused' ? { ...written, item: livingHead(written.item) } : written;
