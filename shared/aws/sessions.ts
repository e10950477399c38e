import { consistencyOf } from '../agent/consistency.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { MAX_FORKS, MAX_SUBSCRIBERS, type SessionStore } from '../agent/ports/sessions.ts';
import type { Bodies } from './bodies.ts';
import { createClaims } from './claims.ts';
import { createCommits } from './commits.ts';
import type { Dynamo } from './dynamo.ts';
import { newHead, sorted, toSession, toView, toWatch } from './head.ts';
import { headsIn, isLiving } from './heads.ts';
import { duePlaceOf, headKey } from './layout.ts';
import { createTranscripts } from './transcripts.ts';
import { createWaits } from './waits.ts';

const reads = consistencyOf.sessions;

export interface SessionsOptions {
  readonly dynamo: Dynamo;
  readonly bodies: Bodies;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Sessions in DynamoDB (docs/design.md; layout: `layout.ts`).
 *
 * The SDK sends a write again when its answer is lost, so every write here is safe to apply twice. A write that is
 * refused looks at the item to tell "another writer was first" from "this write was already applied". It was already
 * applied if:
 *
 * - `create`, `putDefinition`, `putResult`: nothing to check; the first write stays, and the second is the same.
 * - `claim`: the owner is this invocation. `fence`: the intents carry this epoch.
 * - `commit`: the owner is gone, and HEAD is at this epoch, version and event.
 * - `decide`: the decision is this one. `beginCall`: the start is this invocation's. `finishCall` then says `closed`,
 *   and its caller wakes the session all the same.
 * - `putPack`: always the same. `putSlot`, `extend`: absolute values. `subscribe`, `unsubscribe`, `addFork`,
 *   `removeFork`: sets.
 * - `cancel`, `knock`, `inbox.accept`: add 1 to `cancelGen` or `inboxSeq`. Those are change tags: only a difference from the
 *   value that was seen has a meaning, so adding twice says the same.
 */
export function createSessions(options: SessionsOptions): SessionStore {
  const { dynamo, bodies, clock } = options;
  const heads = headsIn(dynamo);
  const transcripts = createTranscripts(dynamo, bodies, clock);
  return {
    ...createClaims(heads),
    ...createCommits(heads),
    ...transcripts,
    ...packsOf(dynamo, transcripts),
    ...createWaits(heads),

    async create(session) {
      const isNew = 'attribute_not_exists(#pk)';
      const written = await dynamo.put(newHead(session), [isNew]);
      if (written.kind === 'written') return { kind: 'created' };
      if (written.item?.buriedAt !== undefined) return { kind: 'gone' };
      return { kind: 'exists', session: written.item ? toSession(written.item) : session };
    },

    async read(key) {
      const head = await heads.get(headKey(key), { consistency: reads.read });
      return head && toView(head);
    },

    async watch(key) {
      const head = await heads.get(headKey(key), {
        consistency: reads.watch,
        attributes: ['epoch', 'cancelGen', 'subscribers', 'revoked'],
      });
      return head && toWatch(head);
    },

    async addFork(key, forkId) {
      const isThere = 'contains(#forks, :id)';
      const hasRoom = 'attribute_not_exists(#forks) OR size(#forks) < :max';
      const written = await heads.update({
        key: headKey(key),
        add: ['#forks :ids'],
        when: [isLiving, `${isThere} OR ${hasRoom}`],
        values: { id: forkId, ids: new Set([forkId]), max: MAX_FORKS },
      });
      if (written.kind === 'written') return 'added';
      return written.item ? 'full' : 'unknown';
    },

    async removeFork(key, forkId) {
      await heads.update({
        key: headKey(key),
        delete: ['#forks :ids'],
        when: [isLiving],
        values: { ids: new Set([forkId]) },
      });
    },

    async subscribe(key, connectionId) {
      const isThere = 'contains(#subscribers, :id)';
      const hasRoom = 'attribute_not_exists(#subscribers) OR size(#subscribers) < :max';
      const written = await heads.update({
        key: headKey(key),
        add: ['#subscribers :ids'],
        when: [isLiving, `${isThere} OR ${hasRoom}`],
        values: { id: connectionId, ids: new Set([connectionId]), max: MAX_SUBSCRIBERS },
      });
      if (written.kind === 'written') return { kind: 'subscribed' };
      if (!written.item) return { kind: 'unknown' };
      return { kind: 'full', subscribers: sorted(written.item.subscribers) };
    },

    async unsubscribe(key, connectionId) {
      // If the session does not exist, it has no clients to tell.
      await dynamo.update({
        key: headKey(key),
        delete: ['#subscribers :ids'],
        when: [isLiving],
        values: { ids: new Set([connectionId]) },
      });
    },

    async *overdue(now, ahead = 0) {
      const { readOverdue } = await import('./overdue.ts');
      yield* readOverdue(dynamo, now, ahead);
    },

    async postpone(key, now, until) {
      const isOverdue = '#sweepAt <= :now';
      const { dueShard } = duePlaceOf(key);
      await dynamo.update({
        key: headKey(key),
        set: [
          '#dueAt = if_not_exists(#dueAt, :now)',
          '#sweepAt = :until',
          '#backstopAt = :until',
          '#dueShard = :dueShard',
        ],
        when: [isOverdue, isLiving],
        values: { now, until, dueShard },
      });
    },
  };
}

/** Loaded by the first session that has packs. */
function packsOf(dynamo: Dynamo, slots: Pick<SessionStore, 'slots'>): Packs {
  let opened: Promise<Packs> | undefined;
  const open = () => {
    opened ??= import('./packs.ts').then(({ createPacks }) => createPacks(dynamo, slots));
    return opened;
  };
  return {
    packs: async (...args) => (await open()).packs(...args),
    putPack: async (...args) => (await open()).putPack(...args),
  };
}

type Packs = Pick<SessionStore, 'packs' | 'putPack'>;
