/** Removes the data of tenants whose key was deleted, unread. A sweeper loads it where `tenantKeys` is on. */

import type { RemovedTenant, RemovedTenants } from '../agent/entrypoints/removed-tenants.ts';
import { blobKey } from '../agent/plain/blob-key.ts';
import { tableLayout, uploadsPrefix } from '../contract/env.ts';
import { states } from '../contract/session.ts';
import { createDays } from './days.ts';
import { duePages } from './due-index.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';
import { buryUnread } from './graves.ts';
import { dueShards, endOf, headKey, listedPartitions, sessionKeyOf } from './layout.ts';
import type { Purge } from './purge.ts';
import { schedulePks, schedulePrefix } from './schedules-layout.ts';
import { deletedPk, isDeletedKey, tenantKeyKey } from './tenant-keys.ts';

/** Entries of one page of an index. */
const PAGE = 100;

export interface RemovalStores {
  /** The deployment's table, whose contents stay sealed here. */
  readonly dynamo: Dynamo;
  /** The table of keys. */
  readonly keyTable: Dynamo;
  readonly purge: Purge;
}

export function createRemovedTenants({ dynamo, keyTable, purge }: RemovalStores): RemovedTenants {
  return {
    async all() {
      const found: RemovedTenant[] = [];
      for await (const { sk: tenant } of keyTable.range(deletedPk, '!', '~')) {
        // A process that died between its two writes leaves a note of a key that lives.
        const key = await keyTable.get(tenantKeyKey(tenant));
        if (key && isDeletedKey(key)) found.push({ tenant, deletedAt: key.deletedAt });
      }
      return found;
    },

    async *sessions(tenant) {
      const { index: name, partitionKey, sortKey } = tableLayout.listed;
      for (const value of listedPartitions(tenant, states)) {
        const partition = { name: partitionKey, value };
        const sort = { name: sortKey, min: '0', max: endOf('9') };
        yield* sessionsIn(dynamo.index({ name, partition, sort, pageSize: PAGE }), () => true);
      }
      // A session whose process died before it was listed is found by its wake.
      const isOfTenant = ({ pk }: Item) => sessionKeyOf(pk).tenant === tenant;
      for (const shard of dueShards)
        yield* sessionsIn(duePages(dynamo, shard, Number.MAX_SAFE_INTEGER, PAGE), isOfTenant);
    },

    buryUnread: (key, now) => buryUnread(dynamo, key, now),

    async clear(tenant) {
      await purge(`${blobKey(uploadsPrefix, tenant)}/`);
      await createDays(dynamo).remove(tenant);
      for (const pk of schedulePks(tenant)) {
        const due: ItemKey[] = [];
        for await (const item of dynamo.range(pk, schedulePrefix, endOf(schedulePrefix)))
          due.push({ pk, sk: item.sk });
        for (const key of due) await dynamo.remove(key, []);
      }
    },

    async finish(tenant) {
      for (const end of ['/', '#']) await purge(`${blobKey(tenant)}${end}`);
      await keyTable.remove({ pk: deletedPk, sk: tenant }, []);
    },
  };

  /** The index lags a little: tombstones are left out by their HEAD. */
  async function* sessionsIn(
    pages: ReturnType<Dynamo['index']>,
    isMeant: (entry: Item) => boolean,
  ): AsyncGenerator<ReturnType<typeof sessionKeyOf>[]> {
    for await (const { items } of pages) {
      const keys = items.filter(isMeant).map(({ pk }) => sessionKeyOf(pk));
      if (keys.length === 0) continue;
      const heads = await dynamo.getAll(keys.map(headKey));
      const buried = new Set(heads.flatMap(({ pk, buriedAt }) => (buriedAt === undefined ? [] : [pk])));
      const left = keys.filter((key) => !buried.has(headKey(key).pk));
      if (left.length > 0) yield left;
    }
  }
}
