/**
 * Limits of a tenant in DynamoDB. What is large is spread over items with a share each (`spread.ts`): small tenants have
 * one.
 *
 * **Messages** are counted in fixed minutes: an item a minute, one conditional update a message.
 *
 * **Sessions**: an item holds the sessions that were let start, each with the time at which it was, and takes one more
 * by one conditional update. Nothing is written when a run ends: a step that crashes there would leave the count wrong for
 * ever. Instead, when all places of an item are taken, the HEADs of their sessions say which of them still run, and the
 * others leave. A start that is still on its way (let in, and its event not yet in HEAD) keeps its place for
 * {@link START_MS}; whoever finds that nothing starts gives it back. So never more run than may, and what a crash leaves
 * behind goes when room is needed. Looking costs a read of each session of the item, so it is done at most every
 * {@link LOOK_EVERY_MS} and item; in between a full one refuses.
 *
 * A session asks the same items each time, so it finds its place again. One that took it in its second item, and writes
 * again when its first has room, has two until its run ends: by so much the limit is early.
 */

import type { Clock, Ids } from '../agent/ports.ts';
import type { SessionKey, State } from '../contract/session.ts';
import { type HeldPlaces, type LimitOptions, type Limits, START_MS } from '../edge/limits.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';
import { headKey, lifetime, messagesKey, runningKey, ttlFrom } from './layout.ts';
import { createPlaces, type Held, PLACES_OF_ITEM, type Taken } from './places.ts';
import { numbersOf, spread } from './spread.ts';

const MINUTE = 60_000;
/**
 * Messages of a minute that one item counts. It takes 1,000 writes a second: so a tenant may send those of its minute
 * within five seconds.
 */
const MESSAGES_OF_ITEM = 5_000;
const LOOK_EVERY_MS = 2_000;
/** When to ask again for a session: somebody's run must end first, and nobody knows when. */
const ASK_AGAIN_SECONDS = 5;
/** Keys that one BatchGetItem takes. */
const BATCH = 100;
/** The time of a place whose start is over. */
const OVER = 0;

/** What the limits ask of the world besides the table. */
export interface LimitServices {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'random'>;
}

export function createLimits(
  dynamo: Dynamo,
  { clock, ids }: LimitServices,
  options: LimitOptions,
): Limits & HeldPlaces {
  const messages = spread(options.messagesPerMinute, MESSAGES_OF_ITEM);
  const sessions = spread(options.sessionsAtOnce, PLACES_OF_ITEM);
  const places = createPlaces(dynamo);
  const itemsOf = ({ tenant, sessionId }: SessionKey) =>
    sessions.choices(numbersOf(sessionId)).map(({ n, max }) => ({ item: runningKey(tenant, n), max }));

  /** Takes a place in one item, from which those leave that do not run. */
  async function takesIn(item: ItemKey, max: number, key: SessionKey, since: number): Promise<boolean> {
    const take = () => places.take(item, key.sessionId, since, max);
    const first = await take();
    if (first.taken) return true;
    if (!(await takesTurn(dynamo, item, first, clock.now()))) return false;
    const atRest = await findAtRest(dynamo, key.tenant, first.held, clock.now());
    if (Object.keys(atRest).length === 0) return false;
    await places.free(item, atRest);
    return (await take()).taken;
  }

  return {
    async message(tenant) {
      const now = clock.now();
      const minute = Math.floor(now / MINUTE);
      const hasRoom = 'attribute_not_exists(#count) OR #count < :max';
      for (const { n, max } of messages.choices(ids.random)) {
        const counted = await dynamo.update({
          key: messagesKey(tenant, minute, n),
          // A repeat by the SDK counts twice: by so much the limit is early, and never late.
          add: ['#count :one'],
          set: ['#ttl = :ttl'],
          when: [hasRoom],
          values: { one: 1, max, ttl: ttlFrom(now, lifetime.count) },
        });
        if (counted.kind === 'written') return 'admitted';
      }
      return { retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE - now) / 1000) };
    },

    async session(key) {
      const place = { since: clock.now() };
      for (const { item, max } of itemsOf(key)) if (await takesIn(item, max, key, place.since)) return place;
      return { retryAfterSeconds: ASK_AGAIN_SECONDS };
    },

    async forget(key) {
      for (const { item } of itemsOf(key)) await places.drop(item, key.sessionId);
    },

    async giveBack(key, { since }) {
      for (const { item } of itemsOf(key)) if (await places.change(item, key.sessionId, since, OVER)) return;
    },
  };
}

/** Whether nobody has looked at the item's sessions just now. */
async function takesTurn(dynamo: Dynamo, key: ItemKey, { item }: Taken, now: number): Promise<boolean> {
  const before = now - LOOK_EVERY_MS;
  if (item.prunedAt > before) return false;
  const mine = await dynamo.update({
    key,
    set: ['#prunedAt = :now'],
    when: ['attribute_not_exists(#prunedAt) OR #prunedAt <= :before'],
    values: { now, before },
  });
  return mine.kind === 'written';
}

/** The places of sessions that do not run, and that nothing starts in. */
async function findAtRest(dynamo: Dynamo, tenant: string, held: Held, now: number): Promise<Held> {
  const all = Object.entries(held);
  const atRest: [string, number][] = [];
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH);
    const keyOf = (sessionId: string) => headKey({ tenant, sessionId });
    const found = await dynamo.getAll(batch.map(([sessionId]) => keyOf(sessionId)));
    const heads = new Map(found.map((head) => [head.pk, head]));
    for (const [sessionId, since] of batch) {
      const head = heads.get(keyOf(sessionId).pk);
      if (!(head && isRunning(head, now)) && !isOnItsWay(head, since, now)) atRest.push([sessionId, since]);
    }
  }
  return Object.fromEntries(atRest);
}

/**
 * It wants a wake. One that waits for a person wants it only to give up waiting, and holds no place until then; one that
 * waits for queued calls is at work.
 */
const isRunning = ({ dueAt, state }: Item, now: number): boolean =>
  dueAt !== undefined && (dueAt <= now || state !== ('waiting_for_input' satisfies State));

/** A start that was let in lately, and has not become a run. A clock that is behind makes it seem so for longer. */
const isOnItsWay = (head: Item | undefined, since: number, now: number): boolean =>
  now - since < START_MS && !(head?.run?.startedAt >= since);
