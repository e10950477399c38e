import type { TenantKeys } from '../../shared/edge/tenant-keys.ts';
import { sealing } from './sealing.ts';

/** Data keys of tenants, as routes use them; undefined if the deployment has none. */
export function tenantKeysOf(of = sealing()): TenantKeys | undefined {
  return (
    of && {
      requireLiving: async (tenant) => (await of.open()).keys.requireLiving(tenant),
      read: async (tenant) => (await of.open()).keys.read(tenant),
      remove: async (...asked) => (await of.open()).keys.remove(...asked),
    }
  );
}
