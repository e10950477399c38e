import { consistencyOf } from '../agent/consistency.ts';
import type { Fence } from '../agent/ports/fence.ts';
import {
  type AcceptResult,
  extrasOf,
  type InboxEvent,
  type InboxStore,
  MAX_INBOX,
} from '../agent/ports/inbox.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { hintOf } from '../agent/session/hint.ts';
import { standingWhenBegun } from '../agent/session/listing.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Bodies } from './bodies.ts';
import { isStillOwnedBy } from './claims.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { dueUnlessDue, sorted, toFence } from './head.ts';
import { type Heads, headsIn, isLiving } from './heads.ts';
import { endOf, eventKey, headKey, lifetime, overflowKey, overflowPrefix, pkOf, ttlFrom } from './layout.ts';

export interface InboxOptions {
  readonly dynamo: Dynamo;
  readonly bodies: Bodies;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The inbox in DynamoDB: an item for each event, and on HEAD the set of those that wait.
 *
 * The item is written first. A crash in between leaves an event that HEAD does not know. The sender, who got no answer,
 * sends it again, and the replay tells HEAD. A replay that arrives after the event was incorporated is recognized by
 * the item (`done`), or by HEAD (`consumed`) until the item is marked. A replay may look at the item before it is
 * marked, and tell HEAD after the id has left `consumed`; and a request that the SDK has given up may land after its
 * repetition was incorporated. HEAD therefore knows the id for another minute (`known`). After that, the id gets back
 * into the inbox; the step that drains it finds the item done, and leaves it out.
 *
 * An event that finds no room, and is to be kept, gets a place in a line beside HEAD (`Q#time#id`), and HEAD says
 * `overflow`: from then on no event gets in ahead of the line. The place is written first, so a reader that sees the
 * mark sees the place. The next step moves as many events as there is room for, and removes the mark if `inboxSeq`
 * still says that it has seen the whole line. A place that stays behind when its step dies puts its id back into the
 * inbox, as a late replay does.
 */
export function createInbox({ dynamo, bodies, clock }: InboxOptions): InboxStore {
  const heads = headsIn(dynamo);
  return {
    async accept(key, event, now, whenFull = 'refuse') {
      const kept = await keep(dynamo, bodies, clock, key, event);
      if (kept.kind === 'conflict') return { kind: 'conflict' };
      if (kept.kind === 'done') return { kind: 'duplicate' };
      const told = await tell(heads, key, event.id, now, kept.kind, intoInbox);
      if (told.kind !== 'full' || whenFull === 'refuse') return told;
      const ttl = ttlFrom(clock.now(), lifetime.event);
      await dynamo.put({ ...overflowKey(key, kept.at, event.id), id: event.id, ttl });
      return tell(heads, key, event.id, now, kept.kind, behindInbox);
    },

    async refill(key, fence) {
      const room = MAX_INBOX - fence.inbox.length;
      const line = await startOfLine(dynamo, key, room + 1);
      const places = line.slice(0, room);
      const ids = places.flatMap(({ id }) => (fence.consumed.includes(id) ? [] : [id]));
      const isAll = line.length <= room;
      const moved =
        (isAll && (await move(heads, key, fence, ids, true))) || (await move(heads, key, fence, ids, false));
      if (!moved) return fence;
      // A place that stays leads to an event that is already in the inbox, or done.
      await Promise.allSettled(places.map(({ pk, sk }) => dynamo.remove({ pk, sk }, [])));
      return toFence(moved);
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
  { id, text, digest, at, ...more }: InboxEvent,
): Promise<Kept> {
  const itemKey = eventKey(key, id);
  const isNew = 'attribute_not_exists(#pk)';
  const body = await bodies.store([itemKey.pk, itemKey.sk], text);
  const ttl = ttlFrom(clock.now(), lifetime.event);
  const written = await dynamo.put({ ...itemKey, id, digest, at, ...body, ttl, ...extrasOf(more) }, [isNew]);
  if (written.kind === 'written') return { kind: 'new', at };
  if (written.item?.digest !== digest) return { kind: 'conflict' };
  return written.item.done ? { kind: 'done' } : { kind: 'known', at: written.item.at };
}

/** The state of an event, and since when it holds. */
type Kept =
  | { readonly kind: 'new' | 'known'; readonly at: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'conflict' };

/** The clauses that differ between the two places where HEAD notes an event. */
interface NoteClauses {
  readonly set: readonly string[];
  readonly add: readonly string[];
  readonly when: readonly string[];
}
const intoInbox: NoteClauses = {
  set: [],
  add: ['#inbox :ids'],
  when: [
    'contains(#inbox, :id) OR (attribute_not_exists(#overflow) AND (attribute_not_exists(#inbox) OR size(#inbox) < :max))',
  ],
};
const behindInbox: NoteClauses = { set: ['#overflow = :true'], add: [], when: [] };

/** Tells HEAD, and makes the session due now unless it is already due. */
async function tell(
  dynamo: Heads,
  key: SessionKey,
  eventId: string,
  now: number,
  kept: 'new' | 'known',
  { set, add, when }: NoteClauses,
): Promise<AcceptResult> {
  const notIncorporated = ['NOT contains(#consumed, :id)', 'NOT contains(#known, :id)'];
  const times = dueUnlessDue(key, now);
  const written = await dynamo.update({
    key: headKey(key),
    set: ['#inboxSeq = #inboxSeq + :one', ...times.set, ...set],
    add,
    when: [isLiving, ...notIncorporated, ...when],
    values: {
      id: eventId,
      ...(add.length > 0 ? { ids: new Set([eventId]), max: MAX_INBOX } : { true: true }),
      one: 1,
      ...times.values,
    },
  });
  if (written.kind === 'written') {
    const { version, contextStart, packed, origin, definition, inbox } = written.item;
    const { agent, totals, delegatedUsd, run, epoch, owner, dueAt } = written.item;
    const hint = hintOf({ version, contextStart, packed, origin, definition }, sorted(inbox));
    const wake = { ...key, hint };
    const mayBegin = owner === undefined && (dueAt === now || kept === 'known');
    return {
      kind: kept === 'new' ? 'accepted' : 'duplicate',
      wake,
      ...(mayBegin && { began: standingWhenBegun({ agent, totals, delegatedUsd, run }, epoch, now) }),
    };
  }
  // Without a session the event's item stays until it expires. That is harmless, and needs no permission to delete.
  if (!written.item) return { kind: 'unknown' };
  const { consumed, known } = written.item;
  return { kind: consumed?.has(eventId) || known?.has(eventId) ? 'duplicate' : 'full' };
}

/** The first places in the line. */
async function startOfLine(dynamo: Dynamo, key: SessionKey, most: number): Promise<Item[]> {
  const line: Item[] = [];
  const reading = { consistency: consistencyOf.inbox.refill, limit: most };
  for await (const place of dynamo.range(pkOf(key), overflowPrefix, endOf(overflowPrefix), reading)) {
    line.push(place);
    if (line.length === most) break;
  }
  return line;
}

/**
 * Moves events into the inbox, for its owner, and returns HEAD as it is then; undefined when that is refused.
 *
 * @param isAll these are all events in the line; the move is refused if another one has come since the fence was read
 */
async function move(
  dynamo: Heads,
  key: SessionKey,
  { epoch, inboxSeq }: Fence,
  ids: readonly string[],
  isAll: boolean,
): Promise<Item | undefined> {
  const written = await dynamo.update({
    key: headKey(key),
    // An update must change something even when it lets no event in.
    set: ['#epoch = :epoch'],
    add: ids.length > 0 ? ['#inbox :ids'] : [],
    remove: isAll ? ['#overflow'] : [],
    when: [...isStillOwnedBy, ...(isAll ? ['#inboxSeq = :inboxSeq'] : [])],
    values: {
      epoch,
      ...(ids.length > 0 && { ids: new Set(ids) }),
      ...(isAll && { inboxSeq }),
    },
  });
  return written.kind === 'written' ? written.item : undefined;
}

async function toEvent(bodies: Bodies, item: Item): Promise<InboxEvent> {
  const { id, digest, at, done } = item;
  const more = extrasOf(item as InboxEvent);
  return done
    ? { id, digest, at, ...more, text: '', done }
    : { id, digest, at, ...more, text: await bodies.load<string>(item) };
}
