import {
  type Erasure,
  type ErasureRecord,
  type Noted,
  newProgress,
  type People,
  type Person,
} from '../agent/entrypoints/people.ts';
import { defined } from '../agent/plain/defined.ts';
import { keep } from './copy.ts';

/** Deletions of people's data in memory. */
export function createPeople(): People {
  const going = new Map<string, Erasure>();
  const ended = new Map<string, ErasureRecord>();
  const notes = new Map<string, Map<string, Noted>>();
  const keyOf = ({ tenant, user }: Person) => JSON.stringify([tenant, user]);
  const notesOf = (person: Person) => {
    const own = notes.get(keyOf(person)) ?? new Map<string, Noted>();
    notes.set(keyOf(person), own);
    return own;
  };
  return {
    async begin(person, now) {
      const known = going.get(keyOf(person));
      const erasure = known ?? keep({ person, requestedAt: now, at: now, progress: newProgress(now) });
      going.set(keyOf(person), erasure);
      return erasure;
    },

    async read(person) {
      const record: ErasureRecord | undefined = going.get(keyOf(person)) ?? ended.get(keyOf(person));
      if (!record) return undefined;
      const { requestedAt, progress, doneAt } = record;
      return { requestedAt, progress, ...defined({ doneAt }) };
    },

    async *due(now) {
      const due = [...going.values()].filter(({ at }) => at <= now);
      if (due.length > 0) yield due.toSorted((a, b) => a.at - b.at);
    },

    async move({ person, at: before, progress: known }, at, progress = known) {
      const erasure = going.get(keyOf(person));
      if (erasure?.at !== before) return undefined;
      const moved = keep({ ...erasure, at, progress });
      going.set(keyOf(person), moved);
      return moved;
    },

    async finish({ person, at, requestedAt, progress }, now) {
      if (going.get(keyOf(person))?.at !== at) return;
      going.delete(keyOf(person));
      ended.set(keyOf(person), keep({ requestedAt, progress, doneAt: now }));
    },

    async note(person, sessionId) {
      const own = notesOf(person);
      if (own.has(sessionId)) return 'known';
      own.set(sessionId, { sessionId, state: 'open' });
      return 'new';
    },

    noted: async (person) => [...notesOf(person).values()],

    async mark(person, noted) {
      if (notesOf(person).has(noted.sessionId)) notesOf(person).set(noted.sessionId, keep(noted));
    },

    strike: async (person, sessionId) => void notesOf(person).delete(sessionId),
  };
}
