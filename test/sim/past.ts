import { consistencyOf } from '../../shared/agent/consistency.ts';
import type { EventLog } from '../../shared/agent/ports/event-log.ts';
import { createInbox } from '../../shared/memory/inbox.ts';
import { createLog } from '../../shared/memory/log.ts';
import type { MemoryPorts } from '../../shared/memory/ports.ts';
import { createSessions } from '../../shared/memory/sessions.ts';
import type { Table } from '../../shared/memory/table.ts';
import type { World } from './world.ts';

/** Earlier states of the stores, which answer reads that are not strong (fault 11). */
export interface Past {
  /** Another store for this read; undefined if it is answered with the current state. */
  instead<Name extends keyof Stores>(name: Name, operation: string): Stores[Name] | undefined;
}

type Stores = Pick<MemoryPorts, 'sessions' | 'inbox' | 'log'>;

/** Lag of a replica or an index, in ms. No documented maximum exists. */
const BEHIND_MS = [10, 120_000] as const;

/** Remembers the state of the stores at any time. Stored values are never changed, only replaced. */
export function rememberPast(world: Pick<World, 'memory' | 'faults' | 'scheduler' | 'workload'>): Past {
  const { memory, faults, scheduler, workload } = world;
  const now = () => scheduler.now;
  const tableAt = remembered(memory.table, now);
  const packsAt = partitions(memory.table.packs, now);
  const logAt = rememberedLog(memory.log, now);
  const wasSo: { [Name in keyof Stores]: (at: number) => Stores[Name] } = {
    // The index of due sessions names them, and their current HEADs decide (`shared/aws/sessions.ts`).
    sessions: (at) => ({
      ...createSessions(tableAt(at)),
      overdue: createSessions(memory.table, tableAt(at).heads, workload.duePage).overdue,
      // Parts of a pack that are not visible yet are read as slots, strongly.
      packs: createSessions({ ...memory.table, packs: packsAt(at) }).packs,
    }),
    inbox: (at) => createInbox(tableAt(at)),
    log: logAt,
  };
  return {
    instead(name, operation) {
      if (!isEventual(name, operation) || !faults.strikes('staleRead')) return undefined;
      return wasSo[name](scheduler.now - scheduler.random.scale(...BEHIND_MS));
    },
  };
}

const isEventual = (name: keyof typeof consistencyOf, operation: string): boolean =>
  (consistencyOf[name] as Readonly<Record<string, string>>)[operation] === 'eventual';

/** Whether a read other than those of the index and of packs is eventual. Otherwise no other history is needed. */
const isAnyEventual = (name: keyof typeof consistencyOf): boolean =>
  Object.entries<string>(consistencyOf[name]).some(
    ([operation, consistency]) =>
      operation !== 'overdue' && operation !== 'packs' && consistency === 'eventual',
  );

function remembered(table: Table, now: () => number): (at: number) => Table {
  const headsAt = versions(table.heads, now);
  const all = isAnyEventual('sessions') || isAnyEventual('inbox');
  if (!all) return (at) => ({ ...table, heads: headsAt(at) });
  const definitionsAt = versions(table.definitions, now);
  const slotsAt = partitions(table.slots, now);
  const resultsAt = partitions(table.results, now);
  const eventsAt = partitions(table.events, now);
  return (at) => ({
    heads: headsAt(at),
    graves: table.graves,
    definitions: definitionsAt(at),
    slots: slotsAt(at),
    results: resultsAt(at),
    events: eventsAt(at),
    lines: table.lines,
    packs: table.packs,
    grants: table.grants,
    told: table.told,
    settled: table.settled,
    feedback: table.feedback,
  });
}

function rememberedLog(log: EventLog, now: () => number): (at: number) => EventLog {
  const appended: { readonly at: number; readonly args: Parameters<EventLog['append']> }[] = [];
  const append = log.append.bind(log);
  if (isAnyEventual('log'))
    Object.assign(log, {
      append(...args: Parameters<EventLog['append']>) {
        appended.push({ at: now(), args });
        return append(...args);
      },
    });
  return (at) => {
    const was = createLog();
    // It has been carried out when it returns.
    for (const one of appended) if (one.at <= at) void was.append(...one.args);
    return was;
  };
}

/** Records every value that a map has had under each key. */
function versions<K, V>(map: Map<K, V>, now: () => number): (at: number) => Map<K, V> {
  const had = new Map<K, { readonly at: number; readonly value: V }[]>();
  const set = map.set.bind(map);
  map.set = (key, value) => {
    const before = had.get(key);
    if (before) {
      before.push({ at: now(), value });
      // Nothing asks for earlier values.
      while (before[1] && before[1].at < now() - BEHIND_MS[1]) before.shift();
    } else had.set(key, [{ at: now(), value }]);
    return set(key, value);
  };
  return (at) => {
    const was = new Map<K, V>();
    for (const [key, values] of had) {
      const last = values.findLast((one) => one.at <= at);
      if (last) was.set(key, last.value);
    }
    return was;
  };
}

function partitions<K, V>(map: Map<string, Map<K, V>>, now: () => number) {
  const had = new Map<string, (at: number) => Map<K, V>>();
  const set = map.set.bind(map);
  map.set = (pk, items) => {
    if (!had.has(pk)) had.set(pk, versions(items, now));
    return set(pk, items);
  };
  return (at: number) => new Map([...had].map(([pk, itemsAt]) => [pk, itemsAt(at)]));
}
