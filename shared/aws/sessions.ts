import { consistencyOf } from '../agent/consistency.ts';
import { type Clock, MAX_SUBSCRIBERS, type SessionStore, type SessionView } from '../agent/ports.ts';
import { tableLayout } from '../contract/env.ts';
import type { Bodies } from './bodies.ts';
import { createClaims } from './claims.ts';
import { createCommits } from './commits.ts';
import type { Dynamo, ItemKey } from './dynamo.ts';
import { newHead, sorted, toSession, toView, toWatch } from './head.ts';
import { dueShard, headKey } from './layout.ts';
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
 * The SDK sends a write again when its answer is lost, so every write here is safe to apply twice, and one that
 * is refused looks at the item to tell "somebody else was first" from "this was me":
 *
 * - `create`, `putDefinition`, `putResult`: the first one stays, and the second is the same.
 * - `claim`: the owner is then this invocation. `fence`: the intents then carry this epoch.
 * - `commit`: the owner is then gone, and HEAD is at this epoch, version and event.
 * - `decide`: the decision is then this one. `beginCall`: the start is then this invocation's. `finishCall` then says
 *   `closed`, and whoever is told so wakes the session all the same.
 * - `putPack`: always the same. `putSlot`, `extend`: absolute values. `subscribe`, `unsubscribe`: sets.
 * - `cancel`, `inbox.accept`: add 1 to `cancelGen` or `inboxSeq`. Those are change tags: only that they differ
 *   from what was seen has a meaning, so adding twice says the same.
 */
export function createSessions(options: SessionsOptions): SessionStore {
  const { dynamo, bodies, clock } = options;
  const transcripts = createTranscripts(dynamo, bodies, clock);
  return {
    ...createClaims(dynamo),
    ...createCommits(dynamo),
    ...transcripts,
    ...packsOf(dynamo, transcripts),
    ...createWaits(dynamo),

    async create(session) {
      const isNew = 'attribute_not_exists(#pk)';
      const written = await dynamo.put(newHead(session), [isNew]);
      if (written.kind === 'written') return { kind: 'created' };
      return { kind: 'exists', session: written.item ? toSession(written.item) : session };
    },

    async read(key) {
      const head = await dynamo.get(headKey(key), { consistency: reads.read });
      return head && toView(head);
    },

    async watch(key) {
      const head = await dynamo.get(headKey(key), {
        consistency: reads.watch,
        attributes: ['epoch', 'cancelGen', 'subscribers', 'revoked'],
      });
      return head && toWatch(head);
    },

    async subscribe(key, connectionId) {
      const isThere = 'contains(#subscribers, :id)';
      const hasRoom = 'attribute_not_exists(#subscribers) OR size(#subscribers) < :max';
      const written = await dynamo.update({
        key: headKey(key),
        add: ['#subscribers :ids'],
        when: [exists, `${isThere} OR ${hasRoom}`],
        values: { id: connectionId, ids: new Set([connectionId]), max: MAX_SUBSCRIBERS },
      });
      if (written.kind === 'written') return { kind: 'subscribed' };
      if (!written.item) return { kind: 'unknown' };
      return { kind: 'full', subscribers: sorted(written.item.subscribers) };
    },

    async unsubscribe(key, connectionId) {
      // There is nobody to tell when the session does not exist.
      await dynamo.update({
        key: headKey(key),
        delete: ['#subscribers :ids'],
        when: [exists],
        values: { ids: new Set([connectionId]) },
      });
    },

    async overdue(now, limit) {
      const { due } = tableLayout;
      const overdue: SessionView[] = [];
      const pages = dynamo.index({
        name: due.index,
        partition: { name: due.partitionKey, value: dueShard },
        sort: { name: due.sortKey, max: now },
        pageSize: Math.min(limit, 100),
      });
      for await (const page of pages) {
        overdue.push(...(await readOverdue(dynamo, page, now)));
        if (overdue.length >= limit) break;
      }
      return overdue.slice(0, limit);
    },

    async postpone(key, now, until) {
      const isOverdue = '#sweepAt <= :now';
      await dynamo.update({
        key: headKey(key),
        set: ['#dueAt = if_not_exists(#dueAt, :now)', '#sweepAt = :until', '#backstopAt = :until'],
        when: [isOverdue],
        values: { now, until },
      });
    },
  };
}

/** Loaded by the first session that has packs. */
function packsOf(dynamo: Dynamo, slots: Pick<SessionStore, 'slots'>): Packs {
  let opened: Promise<Packs> | undefined;
  const open = () => {
    opened ??= import('./lazy/packs.ts').then(({ createPacks }) => createPacks(dynamo, slots));
    return opened;
  };
  return {
    packs: async (...args) => (await open()).packs(...args),
    putPack: async (...args) => (await open()).putPack(...args),
  };
}

type Packs = Pick<SessionStore, 'packs' | 'putPack'>;

const exists = 'attribute_exists(#pk)';

/** The index is late by a moment, and knows no leases: HEAD decides. */
async function readOverdue(dynamo: Dynamo, keys: readonly ItemKey[], now: number): Promise<SessionView[]> {
  const heads = new Map((await dynamo.getAll(keys)).map((head) => [head.pk, head]));
  const inOrder = keys.flatMap(({ pk }) => heads.get(pk) ?? []);
  const isOverdue = ({ sweepAt = Infinity, leaseUntil = 0 }) => sweepAt <= now && leaseUntil <= now;
  return inOrder.filter((head) => isOverdue(head)).map(toView);
}
