import { lookAt, type StoredSchedule, type TickRecord } from '../agent/schedules/schedule.ts';
import type { Declared, DueSchedule, Schedules } from '../agent/schedules/store.ts';
import type { ScheduleKey } from '../contract/schedules.ts';
import { keep } from './copy.ts';
import { mapIn } from './table.ts';

/** Schedules in memory, with the parts that a test may look at. */
export interface MemorySchedules extends Schedules {
  /** All of them. */
  readonly stored: ReadonlyMap<string, StoredSchedule>;
  /** Outcomes of ticks, by schedule and id. */
  readonly ticks: ReadonlyMap<string, ReadonlyMap<string, TickRecord>>;
}

/** Each operation is one critical section. @param pageSize schedules on a page of those that are due */
export function createSchedules(pageSize = 100): MemorySchedules {
  const stored = new Map<string, StoredSchedule>();
  const ticks = new Map<string, Map<string, TickRecord>>();
  let known: Declared | undefined;
  const nameOf = ({ tenant, id }: ScheduleKey) => `${tenant}#${id}`;
  const ofTenant = (tenant: string) =>
    [...stored.values()]
      .filter(({ schedule }) => schedule.key.tenant === tenant)
      .sort((a, b) => (a.schedule.key.id < b.schedule.key.id ? -1 : 1));
  return {
    stored,
    ticks,

    async create(one) {
      const name = nameOf(one.schedule.key);
      const before = stored.get(name);
      if (!before) stored.set(name, keep(one));
      return before;
    },

    read: async (key) => stored.get(nameOf(key)),

    async write(to) {
      const name = nameOf(to.schedule.key);
      if (stored.get(name)?.revision !== to.revision - 1) return 'moved';
      stored.set(name, keep(to));
      return 'written';
    },

    remove: async (key) => (stored.delete(nameOf(key)) ? 'removed' : 'unknown'),

    page: async (tenant, after, limit) =>
      ofTenant(tenant)
        .filter(({ schedule }) => schedule.key.id > after)
        .slice(0, limit),

    count: async (tenant, most) => Math.min(most, ofTenant(tenant).length),

    async *due(until) {
      const due = [...stored.values()].flatMap(({ schedule, course }): DueSchedule[] => {
        const dueAt = lookAt(course);
        return dueAt !== undefined && dueAt <= until ? [{ ...schedule.key, dueAt }] : [];
      });
      due.sort((a, b) => a.dueAt - b.dueAt);
      for (let i = 0; i < due.length; i += pageSize) yield due.slice(i, i + pageSize);
    },

    async record(key, record) {
      const own = mapIn(ticks, nameOf(key));
      const first = own.get(record.id) ?? keep(record);
      own.set(record.id, first);
      return first;
    },

    recorded: async (key, id) => ticks.get(nameOf(key))?.get(id),

    async correct(key, record) {
      mapIn(ticks, nameOf(key)).set(record.id, keep(record));
    },

    records: async (key, below, limit) =>
      [...(ticks.get(nameOf(key))?.values() ?? [])]
        .filter(({ id }) => below === '' || id < below)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit),

    declared: async () => known,

    async putDeclared(declared) {
      known = keep(declared);
    },
  };
}
