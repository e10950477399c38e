import type { Clock } from '../agent/ports/ports.ts';
import { UPLOAD_MS, type Uploads } from '../edge/uploads.ts';
import type { Dynamo } from './dynamo.ts';
import { ttlFrom, uploadKey } from './layout.ts';
import { uploadOfKey } from './people-layout.ts';

/** Uploads in DynamoDB, one item each, and a note of each with its person (`people-uploads.ts`). */
export function createUploads(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Uploads {
  return {
    async announce(tenant, { id, name, by }) {
      const now = clock.now();
      const ttl = ttlFrom(now, UPLOAD_MS / 1000);
      const note = { ...uploadOfKey({ tenant, user: by }, id), id, at: now, ttl };
      await Promise.all([
        dynamo.put(note),
        dynamo.put({ ...uploadKey(tenant, id), fileName: name, by, until: now + UPLOAD_MS, ttl }),
      ]);
    },

    async take(tenant, id, by, message) {
      const now = clock.now();
      const taken = await dynamo.update({
        key: uploadKey(tenant, id),
        set: ['#takenBy = :message'],
        when: ['#by = :by', '#until > :now', 'attribute_not_exists(#takenBy) OR #takenBy = :message'],
        values: { message, by, now },
      });
      const { item } = taken;
      // Older versions wrote `name`, which other items have in the clear (`sealed-attributes.ts`).
      if (taken.kind === 'written') return { kind: 'taken', name: item?.fileName ?? item?.name };
      return item && item.by === by && item.until > now ? { kind: 'used' } : { kind: 'unknown' };
    },

    async giveBack(tenant, id, message) {
      await dynamo.update({
        key: uploadKey(tenant, id),
        remove: ['#takenBy'],
        when: ['#takenBy = :message'],
        values: { message },
      });
    },
  };
}
