import { createHash } from 'node:crypto';
import type { Clock } from '../agent/ports.ts';
import type { Dynamo } from './dynamo.ts';
import { lifetime, ttlFrom } from './layout.ts';

/** Which deliveries a sender of webhooks has made: an item for each, for 30 days. */
export interface HookLog {
  /**
   * Notes a delivery. `conflict` when one with its id had another body: a sender's retry repeats its bytes, so that
   * is no retry, and must not be a second event either.
   */
  note(
    tenant: string,
    source: string,
    deliveryId: string,
    body: Uint8Array,
  ): Promise<'new' | 'known' | 'conflict'>;
}

/** An inbox knows the events of one session; a changed body could name another session. */
export function createHookLog(dynamo: Dynamo, clock: Pick<Clock, 'now'>): HookLog {
  return {
    async note(tenant, source, deliveryId, body) {
      const isNew = 'attribute_not_exists(#pk)';
      const pk = `${tenant}#hook#${source}#${sha256(deliveryId)}`;
      const digest = sha256(body);
      const item = { pk, sk: 'HOOK', digest, ttl: ttlFrom(clock.now(), lifetime.hook) };
      const written = await dynamo.put(item, [isNew]);
      if (written.kind === 'written') return 'new';
      return written.item?.digest === digest ? 'known' : 'conflict';
    },
  };
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
