/** Deletions of people's data. The first request for one loads it, and so does the sweeper. */

import {
  type Erasure,
  type ErasureRecord,
  type Noted,
  newProgress,
  type People,
  type Progress,
} from '../agent/entrypoints/people.ts';
import { defined } from '../agent/plain/defined.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { endOf, peopleShard, ttlFrom } from './layout.ts';
import { deletionsDue } from './people-due.ts';
import { erasureKey, notedKey, notedPrefix, personPk, RECORD_SECONDS } from './people-layout.ts';

const isGoing = 'attribute_exists(#dueShard)';

export function createPeople(dynamo: Dynamo): People {
  return {
    async begin(person, now) {
      const item = {
        ...erasureKey(person),
        ...person,
        ...{ requestedAt: now, dueShard: peopleShard, sweepAt: now },
        progress: JSON.stringify(newProgress(now)),
      };
      const written = await dynamo.put(item, ['attribute_not_exists(#dueShard)']);
      return toErasure(written.item ?? item);
    },

    async read(person) {
      const item = await dynamo.get(erasureKey(person));
      return item && toRecord(item);
    },

    async *due(now) {
      for await (const { items } of deletionsDue(dynamo, now)) {
        if (items.length === 0) continue;
        const found = await dynamo.getAll(items.map(({ pk, sk }) => ({ pk, sk })));
        yield found.filter(({ dueShard, sweepAt }) => dueShard && sweepAt <= now).map(toErasure);
      }
    },

    async move({ person, at: before, progress: known }, at, progress = known) {
      const written = await dynamo.update({
        key: erasureKey(person),
        set: ['#sweepAt = :at', '#progress = :progress'],
        when: [isGoing, '#sweepAt = :before'],
        values: { at, before, progress: JSON.stringify(progress) },
      });
      return written.kind === 'written' ? toErasure(written.item) : undefined;
    },

    async finish({ person, at, requestedAt, progress }, now) {
      const record = { requestedAt, doneAt: now, progress: JSON.stringify(progress) };
      await dynamo.put(
        { ...erasureKey(person), ...record, ttl: ttlFrom(now, RECORD_SECONDS) },
        [isGoing, '#sweepAt = :at'],
        { at },
      );
    },

    async note(person, sessionId) {
      const item = { ...notedKey(person, sessionId), sessionId, state: 'open' };
      const written = await dynamo.put(item, ['attribute_not_exists(#pk)']);
      return written.kind === 'written' ? 'new' : 'known';
    },

    async noted(person) {
      const notes: Noted[] = [];
      for await (const item of dynamo.range(personPk(person), notedPrefix, endOf(notedPrefix)))
        notes.push(toNoted(item));
      return notes;
    },

    async mark(person, { sessionId, state, buriedAt }) {
      await dynamo.put({ ...notedKey(person, sessionId), sessionId, state, buriedAt }, [
        'attribute_exists(#pk)',
      ]);
    },

    async strike(person, sessionId) {
      await dynamo.remove(notedKey(person, sessionId), []);
    },
  };
}

const toErasure = ({ tenant, user, requestedAt, sweepAt, progress }: Item): Erasure => ({
  person: { tenant, user },
  requestedAt,
  at: sweepAt,
  progress: JSON.parse(progress) as Progress,
});

const toRecord = ({ requestedAt, doneAt, progress }: Item): ErasureRecord => ({
  requestedAt,
  progress: JSON.parse(progress) as Progress,
  ...defined({ doneAt }),
});

const toNoted = ({ sessionId, state, buriedAt }: Item): Noted => ({
  ...{ sessionId, state },
  ...defined({ buriedAt }),
});
