import type { Dynamo, Item, Written } from './dynamo.ts';

/** The operations on HEADs. */
export type Heads = Pick<Dynamo, 'get' | 'update'>;

/**
 * The clause that a session exists: the item is neither missing nor a tombstone, which has no epoch (`graves.ts`).
 */
export const isLiving = 'attribute_exists(#epoch)';

/** HEAD of a session; undefined for a tombstone. The item must have been read with its epoch. */
export const livingHead = (head: Item | undefined): Item | undefined =>
  head?.epoch === undefined ? undefined : head;

/** The table for callers that use only HEADs: a deleted session has none. */
export const headsIn = (dynamo: Heads): Heads => ({
  get: async (...asked) => livingHead(await dynamo.get(...asked)),
  update: async (update) => seen(await dynamo.update(update)),
});

const seen = (written: Written): Written =>
  written.kind === 'refused' ? { ...written, item: livingHead(written.item) } : written;
