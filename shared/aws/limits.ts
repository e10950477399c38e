/**
 * Limits of a tenant in DynamoDB.
 *
 * **Messages** are counted in fixed minutes: one item a minute, one conditional update a message.
 *
 * **Sessions**: the tenant's item holds the sessions that were let start, each with the time at which it was, and takes
 * one more by one conditional update. Nothing is written when a run ends: a step that crashes there would leave the
 * count wrong for ever. Instead, when all places are taken, the HEADs of their sessions say which of them still run, and
 * the others leave. A start that is still on its way (let in, and its event not yet in HEAD) keeps its place for
 * {@link START_MS}; whoever finds that nothing starts gives it back. So never more run than may, and what a crash leaves
 * behind goes when room is needed. Looking costs a read of each session, so it is done at most every
 * {@link PRUNE_EVERY_MS} and tenant; in between a full item refuses.
 */

import type { Clock } from '../agent/ports.ts';
import type { State } from '../contract/session.ts';
import { type LimitOptions, type Limits, START_MS } from '../edge/limits.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { headKey, lifetime, messagesKey, runningKey, ttlFrom } from './layout.ts';
import { createPlaces, type Held } from './places.ts';

const MINUTE = 60_000;
const PRUNE_EVERY_MS = 2_000;
/** When to ask again for a session: somebody's run must end first, and nobody knows when. */
const ASK_AGAIN_SECONDS = 5;
/** Keys that one BatchGetItem takes. */
const BATCH = 100;
/** The time of a place whose start is over. */
const OVER = 0;

export function createLimits(dynamo: Dynamo, clock: Pick<Clock, 'now'>, options: LimitOptions): Limits {
  const { messagesPerMinute, sessionsAtOnce } = options;
  const places = createPlaces(dynamo, sessionsAtOnce);

  return {
    async message(tenant) {
      const now = clock.now();
      const minute = Math.floor(now / MINUTE);
      const hasRoom = 'attribute_not_exists(#count) OR #count < :max';
      const counted = await dynamo.update({
        key: messagesKey(tenant, minute),
        // A repeat by the SDK counts twice: by so much the limit is early, and never late.
        add: ['#count :one'],
        set: ['#ttl = :ttl'],
        when: [hasRoom],
        values: { one: 1, max: messagesPerMinute, ttl: ttlFrom(now, lifetime.count) },
      });
      if (counted.kind === 'written') return 'admitted';
      return { retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE - now) / 1000) };
    },

    async session({ tenant, sessionId }) {
      const item = runningKey(tenant);
      const place = { since: clock.now() };
      const first = await places.take(item, sessionId, place.since);
      if (first.taken) return place;
      const mayLook = await takesTurn(dynamo, tenant, clock.now());
      const atRest = mayLook ? await findAtRest(dynamo, tenant, first.held, clock.now()) : {};
      if (Object.keys(atRest).length > 0) {
        await places.free(item, atRest);
        if ((await places.take(item, sessionId, place.since)).taken) return place;
      }
      return { retryAfterSeconds: ASK_AGAIN_SECONDS };
    },

    giveBack: ({ tenant, sessionId }, { since }) => places.change(runningKey(tenant), sessionId, since, OVER),
  };
}

/** Whether nobody has looked at the tenant's sessions just now. */
async function takesTurn(dynamo: Dynamo, tenant: string, now: number): Promise<boolean> {
  const isTime = 'attribute_not_exists(#prunedAt) OR #prunedAt <= :before';
  const mine = await dynamo.update({
    key: runningKey(tenant),
    set: ['#prunedAt = :now'],
    when: [isTime],
    values: { now, before: now - PRUNE_EVERY_MS },
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
