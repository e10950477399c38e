/**
 * Data keys of tenants, in a table of their own, without point-in-time recovery: in the deployment's table a deleted key
 * would come back with each restore of the last 35 days. Loaded where `tenantKeys` is on.
 *
 * | pk         | sk      | item                                                        |
 * |------------|---------|-------------------------------------------------------------|
 * | the tenant | `KEY`   | its wrapped key, or that it was deleted, which stays        |
 * | `_deleted` | a tenant | its data is still to be removed (`removed-tenants.ts`)     |
 */

import { recent } from '../agent/plain/recent.ts';
import { TenantKeyDeleted } from '../agent/plain/tenant-key-deleted.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { KEY_LIFETIME_MS, type KeyState, type TenantKeys } from '../edge/tenant-keys.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';
import type { EncryptionContext, Kms } from './kms.ts';
import { type Sealer, sealerOf } from './seal.ts';

/** Sealers of tenants. They reject with `TenantKeyDeleted` if the tenant's key was deleted. */
export interface Sealers {
  /** Rejects if the tenant has no key. */
  existing(tenant: string): Promise<Sealer>;
  /** Makes the tenant's key if it has none. */
  forWriting(tenant: string): Promise<Sealer>;
}

export interface TenantKeysOptions {
  /** The table of keys. */
  readonly dynamo: Dynamo;
  readonly kms: Kms;
  readonly clock: Pick<Clock, 'now'>;
}

/** Tenants whose keys one environment remembers. */
const MOST_REMEMBERED = 1_000;

export const tenantKeyKey = (tenant: string): ItemKey => ({ pk: tenant, sk: 'KEY' });
export const deletedPk = '_deleted';
export const isDeletedKey = ({ deletedAt }: Item): boolean => deletedAt !== undefined;

/** The context of a tenant's wrapped key. Permissions name it too (`infra/tenant-keys.ts`). */
export const contextOf = (tenant: string): EncryptionContext => ({ 'steploop:tenant': tenant });

interface Known {
  readonly at: number;
  /** Undefined: the tenant has no key. */
  readonly sealer: Promise<Sealer | undefined>;
}

export function createTenantKeys({ dynamo, kms, clock }: TenantKeysOptions): Sealers & TenantKeys {
  const known = recent<Known>(MOST_REMEMBERED);

  /** Failures are not remembered, and neither is that a tenant has no key. A deletion stays, so it may be. */
  function remember(tenant: string, sealer: Promise<Sealer | undefined>): Promise<Sealer | undefined> {
    const entry = { at: clock.now(), sealer };
    known.set(tenant, entry);
    const forget = () => {
      if (known.get(tenant) === entry) known.delete(tenant);
    };
    sealer.then(
      (found) => found ?? forget(),
      (error) => error instanceof TenantKeyDeleted || forget(),
    );
    return sealer;
  }

  async function unwrapped(tenant: string, item: Item): Promise<Sealer> {
    if (isDeletedKey(item)) throw new TenantKeyDeleted(tenant);
    return sealerOf(await kms.unwrap(item.wrapped, contextOf(tenant)));
  }

  async function load(tenant: string): Promise<Sealer | undefined> {
    const item = await dynamo.get(tenantKeyKey(tenant));
    return item && unwrapped(tenant, item);
  }

  function find(tenant: string): Promise<Sealer | undefined> {
    const entry = known.get(tenant);
    return entry && clock.now() - entry.at < KEY_LIFETIME_MS ? entry.sealer : remember(tenant, load(tenant));
  }

  /** The first of several concurrent writes stands. */
  async function make(tenant: string): Promise<Sealer> {
    const { plain, wrapped } = await kms.generate(contextOf(tenant));
    const item = { ...tenantKeyKey(tenant), wrapped, createdAt: clock.now() };
    const written = await dynamo.put(item, ['attribute_not_exists(#pk)']);
    if (written.kind === 'written') return sealerOf(plain);
    if (!written.item) throw new Error('a refused write of a key shows no item');
    return unwrapped(tenant, written.item);
  }

  return {
    async existing(tenant) {
      const sealer = await find(tenant);
      if (!sealer) throw new Error(`the tenant ${tenant} has sealed data and no key in the table of keys`);
      return sealer;
    },

    async forWriting(tenant) {
      const sealer = (await find(tenant)) ?? (await remember(tenant, make(tenant)));
      if (!sealer) throw new Error(`the tenant ${tenant} got no key`);
      return sealer;
    },

    async requireLiving(tenant) {
      await find(tenant);
    },

    async read(tenant) {
      const item = await dynamo.get(tenantKeyKey(tenant));
      if (!item) return { state: 'none' };
      return isDeletedKey(item) ? toDeleted(item) : { state: 'live', createdAt: item.createdAt };
    },

    async remove(tenant, by, now) {
      // Written first, so that the sweeper finds every deleted key.
      await dynamo.put({ pk: deletedPk, sk: tenant }, ['attribute_not_exists(#pk)']);
      const written = await dynamo.update({
        key: tenantKeyKey(tenant),
        set: ['#deletedAt = if_not_exists(#deletedAt, :now)', '#deletedBy = if_not_exists(#deletedBy, :by)'],
        remove: ['#wrapped'],
        when: [],
        values: { now, by },
      });
      known.delete(tenant);
      return toDeleted(written.item ?? {});
    },
  };
}

const toDeleted = ({ deletedAt, deletedBy }: Item): Extract<KeyState, { state: 'deleted' }> => ({
  ...{ state: 'deleted', deletedAt, deletedBy },
});
