import type { DeadBody, DeadDeliveries, DeadDelivery } from '../edge/dead-deliveries.ts';

/** Dead deliveries in memory. */
export function createDeadDeliveries(): DeadDeliveries {
  /** By tenant and id; the body is removed once the delivery was carried out. */
  const kept = new Map<string, { readonly dead: DeadDelivery; readonly body: DeadBody | undefined }>();
  const keyOf = (tenant: string, id: string) => `${tenant}#${id}`;
  return {
    async bury(dead, body) {
      const key = keyOf(dead.tenant, dead.id);
      if (!kept.has(key)) kept.set(key, { dead, body });
    },

    async list(tenant) {
      const all = [...kept.values()].filter(({ dead, body }) => dead.tenant === tenant && body);
      return all.map(({ dead }) => dead).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },

    async read(tenant, id) {
      const { dead, body } = kept.get(keyOf(tenant, id)) ?? {};
      return dead && body && { dead, body };
    },

    async failedAgain(tenant, id, why) {
      const found = kept.get(keyOf(tenant, id));
      if (found) kept.set(keyOf(tenant, id), { ...found, dead: { ...found.dead, ...why } });
    },

    async settle(tenant, id) {
      const found = kept.get(keyOf(tenant, id));
      if (found) kept.set(keyOf(tenant, id), { ...found, body: undefined });
    },
  };
}
