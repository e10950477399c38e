/**
 * Limits of a tenant at the edge: messages in a minute, and sessions that run at once. They protect the bill and
 * the other tenants' patience; no promise of the protocol hangs on them, and whoever asks lets messages in when they
 * cannot be counted (`functions/middleware/admit.ts`).
 *
 * **Messages** are counted in fixed minutes: one item a minute, one conditional update a message. Around a full
 * minute up to twice as many may come.
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
import type { SessionKey, State } from '../contract/session.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { headKey, lifetime, messagesKey, runningKey, ttlFrom } from './layout.ts';
import { createPlaces, type Held } from './places.ts';

/** When to ask again. */
export interface Wait {
  readonly retryAfterSeconds: number;
}

/** A session's place among those that run, since its start was let in: in epoch ms. */
export interface Place {
  readonly since: number;
}

export interface Limits {
  /** Counts one message of the tenant. */
  message(tenant: string): Promise<'admitted' | Wait>;
  /** Takes a place for a session that is about to run. One that has a place already may always go on. */
  session(key: SessionKey): Promise<Place | Wait>;
  /** Nothing has started: from now on the session keeps its place only if it runs. */
  giveBack(key: SessionKey, place: Place): Promise<void>;
}

export interface LimitOptions {
  readonly messagesPerMinute: number;
  readonly sessionsAtOnce: number;
}

const MINUTE = 60_000;
const PRUNE_EVERY_MS = 2_000;
/** How long a start can be on its way: the function that was asked for it has ended by then (infra/http-api.ts, 29 s). */
const START_MS = 30_000;
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
