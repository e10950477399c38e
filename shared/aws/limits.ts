/**
 * Limits of a tenant at the edge: messages in a minute, and sessions that run at once. They protect the bill and
 * the other tenants' patience; no promise of the protocol hangs on them, and whoever asks lets messages in when they
 * cannot be counted (`functions/middleware/admit.ts`).
 *
 * **Messages** are counted in fixed minutes: one item a minute, one conditional update a message. Around a full
 * minute up to twice as many may come.
 *
 * **Sessions**: the tenant's item holds the ids of sessions that were let start, and grows by one conditional update.
 * Nothing is written when a run ends: a step that crashes there would leave the count wrong for ever. Instead, when
 * the set is full, the HEADs of its members say which of them still run, and the others leave it. So the set is never
 * short of a running session for longer than a start takes, and what a crash leaves in it goes when room is needed.
 * Looking costs a read of each member, so it is done at most every {@link PRUNE_EVERY_MS} and tenant; in between a
 * full set refuses. A start that is still on its way when another one looks (let in, and its event not yet in HEAD) is
 * taken for ended: that many sessions can be over the limit.
 */

import type { Clock } from '../agent/ports.ts';
import type { SessionKey, State } from '../contract/session.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { sorted } from './head.ts';
import { headKey, lifetime, messagesKey, runningKey, ttlFrom } from './layout.ts';

export type Admission = 'admitted' | { readonly retryAfterSeconds: number };

export interface Limits {
  /** Counts one message of the tenant. */
  message(tenant: string): Promise<Admission>;
  /** Notes that a session is about to run. One that is noted already may always go on. */
  session(key: SessionKey): Promise<Admission>;
}

export interface LimitOptions {
  readonly messagesPerMinute: number;
  readonly sessionsAtOnce: number;
}

const MINUTE = 60_000;
const PRUNE_EVERY_MS = 2_000;
/** When to ask again for a session: somebody's run must end first, and nobody knows when. */
const ASK_AGAIN_SECONDS = 5;
/** Keys that one BatchGetItem takes. */
const BATCH = 100;

export function createLimits(dynamo: Dynamo, clock: Pick<Clock, 'now'>, options: LimitOptions): Limits {
  const { messagesPerMinute, sessionsAtOnce } = options;

  /** Adds the session to the running ones, if there is room or it is there. */
  const note = ({ tenant, sessionId }: SessionKey) => {
    const isThere = 'contains(#running, :id)';
    const hasRoom = 'attribute_not_exists(#running) OR size(#running) < :max';
    return dynamo.update({
      key: runningKey(tenant),
      add: ['#running :ids'],
      when: [`${isThere} OR ${hasRoom}`],
      values: { id: sessionId, ids: new Set([sessionId]), max: sessionsAtOnce },
    });
  };

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

    async session(key) {
      const first = await note(key);
      if (first.kind === 'written') return 'admitted';
      const pruned = await prune(dynamo, key.tenant, first.item ?? {}, clock.now());
      if (pruned && (await note(key)).kind === 'written') return 'admitted';
      return { retryAfterSeconds: ASK_AGAIN_SECONDS };
    },
  };
}

/** Lets those that run no more leave the set; false when somebody has just done it. */
async function prune(dynamo: Dynamo, tenant: string, seen: Item, now: number): Promise<boolean> {
  const isTime = 'attribute_not_exists(#prunedAt) OR #prunedAt <= :before';
  const mine = await dynamo.update({
    key: runningKey(tenant),
    set: ['#prunedAt = :now'],
    when: [isTime],
    values: { now, before: now - PRUNE_EVERY_MS },
  });
  if (mine.kind === 'refused') return false;
  const ids = sorted(seen.running);
  const running = new Set<string>();
  for (let from = 0; from < ids.length; from += BATCH) {
    const keys = ids.slice(from, from + BATCH).map((sessionId) => headKey({ tenant, sessionId }));
    for (const head of await dynamo.getAll(keys)) if (isRunning(head, now)) running.add(head.pk);
  }
  const atRest = ids.filter((sessionId) => !running.has(headKey({ tenant, sessionId }).pk));
  if (atRest.length === 0) return false;
  await dynamo.update({
    key: runningKey(tenant),
    delete: ['#running :atRest'],
    when: [],
    values: { atRest: new Set(atRest) },
  });
  return true;
}

/**
 * It wants a wake. One that waits for a person wants it only to give up waiting, and holds no place until then; one that
 * waits for queued calls is at work.
 */
const isRunning = ({ dueAt, state }: Item, now: number): boolean =>
  dueAt !== undefined && (dueAt <= now || state !== ('waiting_for_input' satisfies State));
