import { createHash } from 'node:crypto';
import type { Clock } from '../agent/ports/ports.ts';
import type { HookLog } from '../edge/hook-log.ts';
import type { Dynamo } from './dynamo.ts';
import { hookKey, lifetime, signedHookKey, ttlFrom } from './layout.ts';

/**
 * Deliveries in DynamoDB: an item for each id, and one for the signed bytes where the id is not part of them. An inbox
 * knows only the events of one session, and a changed body could name another session.
 *
 * The id is noted first. A function that dies in between leaves an id without a note of its signed bytes: the sender's
 * retry is `known`, and notes them.
 */
export function createHookLog(dynamo: Dynamo, clock: Pick<Clock, 'now'>): HookLog {
  return {
    async note({ tenant, source, id, body, signed }) {
      const isNew = 'attribute_not_exists(#pk)';
      const ttl = ttlFrom(clock.now(), lifetime.hook);
      const [delivery, digest] = [sha256(id), sha256(body)];
      const byId = await dynamo.put({ ...hookKey(tenant, source, delivery), digest, ttl }, [isNew]);
      if (byId.kind === 'refused' && byId.item?.digest !== digest) return 'conflict';
      if (signed) {
        const bySigned = { ...signedHookKey(tenant, source, sha256(signed)), delivery, ttl };
        const first = await dynamo.put(bySigned, [isNew]);
        if (first.kind === 'refused' && first.item?.delivery !== delivery) return 'replay';
      }
      return byId.kind === 'written' ? 'new' : 'known';
    },
  };
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
