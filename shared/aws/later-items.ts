/** Calls that are answered later; the first one loads this. */

import { consistencyOf } from '../agent/consistency.ts';
import {
  type CallbackToken,
  KEPT_AFTER_MS,
  type LaterAnswers,
  MOST_TOLD,
  type Settled,
  TOLD_EVERY_MS,
} from '../agent/ports/callbacks.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Bodies } from './bodies.ts';
import type { Dynamo, ItemKey } from './dynamo.ts';
import { dueNow } from './head.ts';
import { grantKey, headKey, pkOf, tokenKey, ttlFrom } from './layout.ts';

const reads = consistencyOf.later;

const DAY = 24 * 3600;
/**
 * Seconds for which the outcome of a call is kept: it closes the call's batch, and answers a second attempt to answer.
 * The longest wait is 30 days.
 */
const SETTLED = 60 * DAY;

/** The outcome of a call that may be answered later. */
const settledKey = (key: SessionKey, id: string): ItemKey => ({ pk: pkOf(key), sk: `A#${id}` });

export interface LaterItems {
  readonly dynamo: Dynamo;
  readonly bodies: Bodies;
  readonly clock: Pick<Clock, 'now'>;
}

/** Late answers in DynamoDB: an item for each token, by its hash, and one for each settled call, beside its session. */
export function createLater({ dynamo, bodies, clock }: LaterItems): Omit<LaterAnswers, 'urlOf'> {
  return {
    async grant(hash, { tenant, sessionId, slot, callId, name, id, expiresAt }) {
      const ttl = ttlFrom(expiresAt, KEPT_AFTER_MS / 1000);
      const of = { tenant, sessionId, slot, callId, name, id, expiresAt };
      // Written first, so that the process that deletes the session finds every token.
      await dynamo.put({ ...tokenKey(of, hash), ttl });
      await dynamo.put({ ...grantKey(hash), of: JSON.stringify(of), ttl });
    },

    async granted(hash) {
      const item = await dynamo.get(grantKey(hash), { consistency: reads.granted });
      return item && (JSON.parse(item.of) as CallbackToken);
    },

    async settle(key, id, settled) {
      const itemKey = settledKey(key, id);
      const body = await bodies.store([itemKey.pk, itemKey.sk], settled);
      const isFirst = 'attribute_not_exists(#pk)';
      const ttl = ttlFrom(clock.now(), SETTLED);
      const written = await dynamo.put({ ...itemKey, ...body, ttl }, [isFirst]);
      if (written.kind === 'written') return { stands: settled, first: true };
      if (!written.item) throw new Error(`a refused write of ${itemKey.pk} ${itemKey.sk} shows no item`);
      return { stands: await bodies.load<Settled>(written.item), first: false };
    },

    async resolve(key, id, now) {
      const isPending = 'contains(#pending, :id)';
      const times = dueNow(key, now);
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#inboxSeq = #inboxSeq + :one', ...times.set],
        delete: ['#pending :ids'],
        when: [isPending],
        values: { ...times.values, id, ids: new Set([id]), one: 1 },
      });
      return written.kind === 'written' ? 'resolved' : 'closed';
    },

    async countTold(hash, now) {
      const isTime = 'attribute_not_exists(#toldAt) OR #toldAt <= :before';
      const hasRoom = 'attribute_not_exists(#told) OR #told < :most';
      const written = await dynamo.update({
        key: grantKey(hash),
        set: ['#toldAt = :now'],
        add: ['#told :one'],
        when: ['attribute_exists(#pk)', isTime, hasRoom],
        values: { now, before: now - TOLD_EVERY_MS, most: MOST_TOLD, one: 1 },
      });
      if (written.kind === 'written') return 'may';
      return written.item && (written.item.told ?? 0) < MOST_TOLD ? 'too_soon' : 'too_many';
    },

    async settled(key, ids) {
      const found = await Promise.all(
        ids.map(async (id) => {
          const item = await dynamo.get(settledKey(key, id), { consistency: reads.settled });
          return item && ([id, await bodies.load<Settled>(item)] as const);
        }),
      );
      return Object.fromEntries(found.filter((one) => one !== undefined));
    },
  };
}
