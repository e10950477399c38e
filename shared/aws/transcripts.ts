import { consistencyOf } from '../agent/consistency.ts';
import { freezeDeep } from '../agent/plain/merge.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { SessionStore, SlotsPage, StoredSlot } from '../agent/ports/sessions.ts';
import type { Pinned } from '../agent/session/pinned.ts';
import type { Slot, ToolResult } from '../agent/session/slots.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Bodies } from './bodies.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { definitionKey, endOf, lifetime, pkOf, resultSk, slotKey, slotSk, ttlFrom } from './layout.ts';

const reads = consistencyOf.sessions;

/** Definitions that one environment remembers. */
const MAX_REMEMBERED = 200;

/**
 * The material of a session's prompt: its slots and its pinned definition; and the results on their way into a slot.
 */
export function createTranscripts(
  dynamo: Dynamo,
  bodies: Bodies,
  clock: Pick<Clock, 'now'>,
): Pick<SessionStore, 'putDefinition' | 'definition' | 'slots' | 'putSlot' | 'putResult' | 'results'> {
  // Named by tenant and content, and never changed or deleted: safe to cache for every caller. Steps get the same frozen object,
  // so what they derive from it (`memoize`) is derived once per environment.
  const remembered = new Map<string, Pinned>();
  const remember = (pk: string, pinned: Pinned) => {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(pk, pinned);
    return pinned;
  };

  const toSlot = async (item: Item): Promise<StoredSlot> => ({
    slot: await bodies.load<Slot>(item),
    epoch: item.epoch,
  });

  /** One answer of DynamoDB has 1 MB at most, so little is read in vain after a page. Blobs are fetched one by one. */
  const pageOfSlots = async (key: SessionKey, from: number, { below, bytes }: SlotsPage) => {
    const slots: StoredSlot[] = [];
    if (below <= from) return slots;
    let room = bytes;
    const items = dynamo.range(pkOf(key), slotSk(from), slotSk(below - 1), { consistency: reads.slots });
    for await (const item of items) {
      const stored = await toSlot(item);
      slots.push(stored);
      room -= Buffer.byteLength(item.body ?? JSON.stringify(stored.slot));
      if (room <= 0) break;
    }
    return slots;
  };

  return {
    async putDefinition(tenant, hash, pinned) {
      const key = definitionKey(tenant, hash);
      if (remembered.has(key.pk)) return;
      const isNew = 'attribute_not_exists(#pk)';
      await dynamo.put({ ...key, ...(await bodies.store([key.pk], pinned)) }, [isNew]);
      remember(key.pk, freezeDeep(structuredClone(pinned)));
    },

    async definition(tenant, hash) {
      const key = definitionKey(tenant, hash);
      const known = remembered.get(key.pk);
      if (known) return known;
      const item = await dynamo.get(key, { consistency: reads.definition });
      if (!item) return undefined;
      return remember(key.pk, freezeDeep(await bodies.load<Pinned>(item)));
    },

    async slots(key, from, page) {
      if (page) return pageOfSlots(key, from, page);
      const items = await collect(
        dynamo.range(pkOf(key), slotSk(from), endOf('M#'), { consistency: reads.slots }),
      );
      return Promise.all(items.map(toSlot));
    },

    async putSlot(key, epoch, slot) {
      const itemKey = slotKey(key, slot.n);
      const isNew = 'attribute_not_exists(#pk)';
      const isNotNewer = '#epoch <= :epoch';
      const item = { ...itemKey, epoch, ...(await bodies.store([itemKey.pk, itemKey.sk], slot)) };
      const written = await dynamo.put(item, [`${isNew} OR ${isNotNewer}`], { epoch });
      return written.kind === 'written' ? 'put' : 'superseded';
    },

    async putResult(key, n, result) {
      const itemKey = { pk: pkOf(key), sk: resultSk(n, result.callId) };
      const isFirst = 'attribute_not_exists(#pk)';
      const body = await bodies.store([itemKey.pk, itemKey.sk], result);
      await dynamo.put({ ...itemKey, ...body, ttl: ttlFrom(clock.now(), lifetime.result) }, [isFirst]);
    },

    async results(key, n) {
      const items = await collect(
        dynamo.range(pkOf(key), resultSk(n), endOf(resultSk(n)), { consistency: reads.results }),
      );
      return Promise.all(items.map((item) => bodies.load<ToolResult>(item)));
    },
  };
}

async function collect(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
