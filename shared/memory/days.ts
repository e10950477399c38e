import type { Activity, CountedDay, Course, Days } from '../agent/entrypoints/days/store.ts';
import { keep } from './copy.ts';
import type { MemoryListings } from './listings.ts';

/** Counted days in memory. */
export function createDays(): Days {
  const courses = new Map<string, Course>();
  const counted = new Map<string, Map<string, CountedDay>>();
  return {
    async begin(tenant, day, now) {
      if (!courses.has(tenant)) courses.set(tenant, { tenant, day, at: now });
    },

    async *due(now) {
      const due = [...courses.values()].filter(({ at }) => at <= now);
      if (due.length > 0) yield due.toSorted((a, b) => a.at - b.at);
    },

    async move({ tenant, day, at }, to) {
      const known = courses.get(tenant);
      if (known?.day !== day || known.at !== at) return undefined;
      const moved = keep({ tenant, ...to });
      courses.set(tenant, moved);
      return moved;
    },

    async put(tenant, day) {
      counted.set(tenant, new Map(counted.get(tenant)).set(day.day, keep(day)));
    },

    async read(tenant, from, to) {
      const all = [...(counted.get(tenant)?.values() ?? [])];
      return all.filter(({ day }) => day >= from && day <= to).toSorted((a, b) => (a.day < b.day ? -1 : 1));
    },

    async remove(tenant) {
      courses.delete(tenant);
      counted.delete(tenant);
    },
  };
}

/** Activity of the sessions on lists in memory. */
export const createActivity = ({ entries }: Pick<MemoryListings, 'entries'>): Activity => ({
  async *since(tenant, from) {
    const runs = ['idle', 'running'];
    yield [...entries.values()]
      .filter(
        ({ key, standing }) =>
          key.tenant === tenant && (standing.at >= from || runs.includes(standing.state)),
      )
      .map(({ key: { sessionId }, createdAt }) => ({ sessionId, createdAt }));
  },
});
