/**
 * Limits of a tenant in DynamoDB. Large limits are spread over items with a share each (`spread.ts`); small tenants
 * have one item.
 *
 * **Messages** are counted in fixed minutes: one item a minute, one conditional update a message.
 *
 * **Sessions**: an item holds the sessions that were allowed to start, each with the time at which it was, and one
 * conditional update adds one more. Nothing is written when a run ends, because a step that crashed there would leave
 * the count wrong for ever. Instead, when all places of an item are taken, the HEADs of their sessions say which of
 * them still run, and the others are removed. A start that is still in progress (admitted, and its event not yet in
 * HEAD) keeps its place for {@link START_MS}; a caller that finds that nothing starts gives the place back. So never
 * more sessions run than the limit allows, and what a crash leaves behind is removed when room is needed. Looking costs
 * a read of each session of the item, so it happens at most every {@link LOOK_EVERY_MS} and item; in between a full
 * item refuses.
 *
 * A session asks the same items each time, so it finds its place again. A session that took a place in its second item,
 * and writes again when its first item has room, holds two places until its run ends: the limit is reached that much
 * early.
 */

import type { Clock, Ids } from '../agent/ports/ports.ts';
import type { SessionKey, State } from '../contract/session.ts';
import { type HeldPlaces, type LimitOptions, type Limits, START_MS } from '../edge/limits.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';
import { headKey, lifetime, messagesKey, runningKey, ttlFrom } from './layout.ts';
import { createPlaces, type Held, PLACES_OF_ITEM, type Taken } from './places.ts';
import { numbersOf, spread } from './spread.ts';

const MINUTE = 60_000;
/**
 * Messages of a minute that one item counts. It takes 1,000 writes a second, so a tenant may send a minute's messages
 * within five seconds.
 */
const MESSAGES_OF_ITEM = 5_000;
const LOOK_EVERY_MS = 2_000;
/** Seconds until a refused session is to ask again: another session's run must end first, and that time is unknown. */
const ASK_AGAIN_SECONDS = 5;
/** Keys that one BatchGetItem takes. */
const BATCH = 100;
/** The time of a place whose start is over. */
const OVER = 0;

/** The services that the limits use besides the table. */
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

  /** Takes a place in one item, after removing sessions that do not run. */
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
          // A repeat by the SDK counts twice: the limit is reached that much early, and never late.
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

/** Whether this caller may look at the item's sessions: no other has looked at them just now. */
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

/** The places of sessions that do not run and are not starting. */
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
 * A session runs if it wants a wake. One that waits for a person wants a wake only to give up waiting, and holds no
 * place until then; one that waits for queued calls is at work.
 */
const isRunning = ({ dueAt, state }: Item, now: number): boolean =>
  dueAt !== undefined && (dueAt <= now || state !== ('waiting_for_input' satisfies State));

/**
 * A start that was admitted recently, and has not become a run. If a clock is behind, a start seems recent for longer.
 */
const isOnItsWay = (head: Item | undefined, since: number, now: number): boolean =>
  now - since < START_MS && !(head?.run?.startedAt >= since);
