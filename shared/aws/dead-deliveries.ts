import type { DeadDeliveries, DeadDelivery } from '../agent/dead-deliveries.ts';
import type { Clock } from '../agent/ports.ts';
import type { Bodies } from './bodies.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { deadKey, deadPk, endOf, lifetime, ttlFrom } from './layout.ts';

/**
 * Dead deliveries in DynamoDB, an item each. One that was carried out leaves its item for a day, without a body: its
 * sender's retry must not bring it back.
 */
export function createDeadDeliveries(
  dynamo: Dynamo,
  bodies: Bodies,
  clock: Pick<Clock, 'now'>,
): DeadDeliveries {
  const exists = 'attribute_exists(#pk)';
  const isNew = 'attribute_not_exists(#pk)';
  return {
    async bury(dead, body) {
      const key = deadKey(dead.tenant, dead.id);
      const stored = await bodies.store([key.pk, key.sk], body);
      const ttl = ttlFrom(clock.now(), lifetime.hook);
      await dynamo.put({ ...key, ...dead, ...stored, ttl }, [isNew]);
    },

    async list(tenant) {
      const found: DeadDelivery[] = [];
      for await (const item of dynamo.range(deadPk(tenant), 'DEAD#', endOf('DEAD#')))
        if (item.settledAt === undefined) found.push(toDead(item));
      return found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },

    async read(tenant, id) {
      const item = await dynamo.get(deadKey(tenant, id));
      if (!item || item.settledAt !== undefined) return undefined;
      return { dead: toDead(item), body: await bodies.load(item) };
    },

    async failedAgain(tenant, id, { reason, detail }) {
      await dynamo.update({
        key: deadKey(tenant, id),
        set: ['#reason = :reason', '#detail = :detail'],
        when: [exists],
        values: { reason, detail },
      });
    },

    async settle(tenant, id) {
      const now = clock.now();
      await dynamo.update({
        key: deadKey(tenant, id),
        set: ['#settledAt = :now', '#ttl = :ttl'],
        remove: ['#body', '#blob'],
        when: [exists],
        values: { now, ttl: ttlFrom(now, lifetime.settledHook) },
      });
    },
  };
}

const toDead = (item: Item): DeadDelivery => {
  const { tenant, id, source, name, deliveryId, eventId, at, reason, detail, bytes } = item;
  return { tenant, id, source, name, deliveryId, eventId, at, reason, detail, bytes };
};
