import type { Clock } from '../agent/ports/ports.ts';
import type { DeadDeliveries, DeadDelivery } from '../edge/dead-deliveries.ts';
import type { Bodies } from './bodies.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { deadBodyKey, deadKey, deadPk, endOf, lifetime, ttlFrom } from './layout.ts';

/**
 * Dead deliveries in DynamoDB: one item each, and another for the body, so that ten thousand are listed in seconds. The
 * body is written first. A delivery that was carried out leaves its item for a day, so that a retry by its sender does
 * not bring it back.
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
      const ttl = ttlFrom(clock.now(), lifetime.hook);
      const bodyKey = deadBodyKey(dead.tenant, dead.id);
      const stored = await bodies.store([bodyKey.pk, bodyKey.sk], body);
      await dynamo.put({ ...bodyKey, ...stored, ttl }, [isNew]);
      await dynamo.put({ ...deadKey(dead.tenant, dead.id), ...dead, ttl }, [isNew]);
    },

    async list(tenant) {
      const found: DeadDelivery[] = [];
      for await (const item of dynamo.range(deadPk(tenant), 'DEAD#', endOf('DEAD#')))
        if (item.settledAt === undefined) found.push(toDead(item));
      return found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },

    async read(tenant, id) {
      const [item, body] = await Promise.all([
        dynamo.get(deadKey(tenant, id)),
        dynamo.get(deadBodyKey(tenant, id)),
      ]);
      if (!item || !body || item.settledAt !== undefined) return undefined;
      return { dead: toDead(item), body: await bodies.load(body) };
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
      const ttl = ttlFrom(now, lifetime.settledHook);
      const settled = { set: ['#settledAt = :now', '#ttl = :ttl'], when: [exists], values: { now, ttl } };
      await dynamo.update({ key: deadKey(tenant, id), ...settled });
      await dynamo.update({ key: deadBodyKey(tenant, id), ...settled, remove: ['#body', '#blob'] });
    },
  };
}

const toDead = (item: Item): DeadDelivery => {
  const { tenant, id, source, name, deliveryId, eventId, at, reason, detail, bytes } = item;
  return { tenant, id, source, name, deliveryId, eventId, at, reason, detail, bytes };
};
