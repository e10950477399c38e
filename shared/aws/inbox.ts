import { consistencyOf } from '../agent/consistency.ts';
import {
  type AcceptResult,
  type Clock,
  type InboxEvent,
  type InboxStore,
  MAX_INBOX,
} from '../agent/ports.ts';
import { sweepAtFor } from '../agent/wake-times.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Bodies } from './bodies.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { sorted } from './head.ts';
import { dueShard, eventKey, headKey, lifetime, ttlFrom } from './layout.ts';

export interface InboxOptions {
  readonly dynamo: Dynamo;
  readonly bodies: Bodies;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The inbox in DynamoDB: an item for each event, and the set of those that wait, on HEAD.
 *
 * The item is written first. A crash in between leaves an event that HEAD does not know; the sender, who got
 * no answer, sends it again, and the replay tells HEAD. A replay that comes after the event was incorporated
 * is known by the item (`done`), or by HEAD (`consumed`) until the item is marked. One that looked at the item
 * before it was marked, and tells HEAD after the id has left `consumed`, brings the id back into the inbox:
 * the step that drains it finds the item done, and leaves it out.
 */
export function createInbox({ dynamo, bodies, clock }: InboxOptions): InboxStore {
  return {
    async accept(key, event, now) {
      const kept = await keep(dynamo, bodies, clock, key, event);
      if (kept === 'conflict') return { kind: 'conflict' };
      if (kept === 'done') return { kind: 'duplicate' };
      return tell(dynamo, key, event.id, now, kept);
    },

    async read(key, eventIds) {
      const keys = [...new Set(eventIds)].map((id) => eventKey(key, id));
      const items = await dynamo.getAll(keys, { consistency: consistencyOf.inbox.read });
      const events = await Promise.all(items.map((item) => toEvent(bodies, item)));
      return events.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },

    async markDone(key, eventIds) {
      const exists = 'attribute_exists(#pk)';
      const done = (id: string) =>
        dynamo.update({
          key: eventKey(key, id),
          set: ['#done = :true'],
          remove: ['#body', '#blob'],
          when: [exists],
          values: { true: true },
        });
      await Promise.all(eventIds.map(done));
    },
  };
}

async function keep(
  dynamo: Dynamo,
  bodies: Bodies,
  clock: Pick<Clock, 'now'>,
  key: SessionKey,
  { id, text, digest, at, control, runId, by }: InboxEvent,
): Promise<'new' | 'known' | 'done' | 'conflict'> {
  const itemKey = eventKey(key, id);
  const isNew = 'attribute_not_exists(#pk)';
  const body = await bodies.store([itemKey.pk, itemKey.sk], text);
  const ttl = ttlFrom(clock.now(), lifetime.event);
  const written = await dynamo.put(
    {
      ...{ ...itemKey, id, digest, at, ...body, ttl },
      ...(control && { control }),
      ...(runId && { runId }),
      ...(by && { by }),
    },
    [isNew],
  );
  if (written.kind === 'written') return 'new';
  if (written.item?.digest !== digest) return 'conflict';
  return written.item.done ? 'done' : 'known';
}

/** Tells HEAD, and makes the session due now unless it is due already. */
async function tell(
  dynamo: Dynamo,
  key: SessionKey,
  eventId: string,
  now: number,
  kept: 'new' | 'known',
): Promise<AcceptResult> {
  const exists = 'attribute_exists(#pk)';
  const notConsumed = 'NOT contains(#consumed, :id)';
  const hasRoom = 'contains(#inbox, :id) OR attribute_not_exists(#inbox) OR size(#inbox) < :max';
  const written = await dynamo.update({
    key: headKey(key),
    set: [
      '#inboxSeq = #inboxSeq + :one',
      '#dueAt = if_not_exists(#dueAt, :now)',
      // While it waits for people it is not due, and `sweepAt` is their far expiry.
      '#sweepAt = if_not_exists(#backstopAt, :sweepAt)',
      '#backstopAt = if_not_exists(#backstopAt, :sweepAt)',
      '#dueShard = :dueShard',
    ],
    add: ['#inbox :ids'],
    when: [exists, notConsumed, hasRoom],
    values: {
      id: eventId,
      ids: new Set([eventId]),
      one: 1,
      max: MAX_INBOX,
      now,
      sweepAt: sweepAtFor(now, now),
      dueShard,
    },
  });
  if (written.kind === 'written') {
    const { version, contextStart, definition, inbox } = written.item;
    const wake = { ...key, hint: { version, from: contextStart, definition, inbox: sorted(inbox) } };
    return { kind: kept === 'new' ? 'accepted' : 'duplicate', wake };
  }
  // Without a session the event's item stays until it expires: harmless, and it needs no permission to delete.
  if (!written.item) return { kind: 'unknown' };
  return { kind: written.item.consumed?.has(eventId) ? 'duplicate' : 'full' };
}

async function toEvent(bodies: Bodies, item: Item): Promise<InboxEvent> {
  const { id, digest, at, done, control, runId, by } = item;
  const more = { ...(control && { control }), ...(runId && { runId }), ...(by && { by }) };
  return done
    ? { id, digest, at, ...more, text: '', done }
    : { id, digest, at, ...more, text: await bodies.load<string>(item) };
}
