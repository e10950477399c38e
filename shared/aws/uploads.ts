import { blobKey } from '../agent/plain/blob-key.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { uploadsPrefix } from '../contract/env.ts';
import { UPLOAD_MS, UPLOAD_SECONDS, type Uploads } from '../edge/uploads.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, ttlFrom, uploadKey } from './layout.ts';
import { personPk, uploadOfKey, uploadOfPrefix } from './people-layout.ts';
import type { Purge } from './purge.ts';

/**
 * Uploads in DynamoDB, one item each, and a note of each with its person, by which it is found when their data is deleted.
 *
 * @param purge deletes objects; absent in functions that may not
 */
export function createUploads(
  dynamo: Dynamo,
  clock: Pick<Clock, 'now'>,
  purge: Purge = cannotPurge,
): Uploads {
  return {
    async announce(tenant, { id, name, by }) {
      const now = clock.now();
      const ttl = ttlFrom(now, UPLOAD_MS / 1000);
      const note = { ...uploadOfKey({ tenant, user: by }, id), id, at: now, ttl };
      await Promise.all([
        dynamo.put(note),
        dynamo.put({ ...uploadKey(tenant, id), name, by, until: now + UPLOAD_MS, ttl }),
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
      if (taken.kind === 'written') return { kind: 'taken', name: taken.item.name };
      const { item } = taken;
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

    async forget(tenant, by) {
      const person = { tenant, user: by };
      let forgotten = 0;
      for await (const { id, at } of dynamo.range(personPk(person), uploadOfPrefix, endOf(uploadOfPrefix))) {
        const removed = await dynamo.remove(uploadKey(tenant, id), ['attribute_exists(#pk)']);
        if (removed.kind === 'written') forgotten += 1;
        // Ids have one length, so no other upload's key starts with this one.
        await purge(blobKey(uploadsPrefix, tenant, id));
        const isOver = clock.now() > at + UPLOAD_SECONDS * 1000;
        if (isOver) await dynamo.remove(uploadOfKey(person, id), []);
      }
      return forgotten;
    },
  };
}

const cannotPurge: Purge = () => Promise.reject(new Error('this function deletes no objects'));
