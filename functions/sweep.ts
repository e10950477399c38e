import middy from '@middy/core';
import { eraseBuried } from '../shared/agent/entrypoints/erase.ts';
import { buryAged } from '../shared/agent/entrypoints/retention.ts';
import { sweepSchedules } from '../shared/agent/entrypoints/schedules/sweep.ts';
import { sweep } from '../shared/agent/entrypoints/sweep.ts';
import { log } from '../shared/logger.ts';
import { keptMs, schedulesHash, sweepPorts } from './ports/sweep.ts';

const { io, peoplePorts, removalPorts, daysPorts } = sweepPorts();
const kept = keptMs();
const declared = schedulesHash();

/** Time in ms that is kept for the last sessions of a sweep: as long as all tries of the calls for one session take. */
const RESERVE_MS = 10_000;

/**
 * Each minute: sends the schedules that are due soon, wakes all sessions whose wake is overdue, deletes as much of what is to be
 * deleted as time allows, and counts days that are over (docs/days.md).
 */
export const handler = middy().handler(async (_event, context) => {
  const startedAt = io.clock.now();
  const deadlineAt = startedAt + context.getRemainingTimeInMillis() - RESERVE_MS;
  // Waiting work goes first, and a failure of one part does not stop the other. Both are short unless there was an outage.
  const waiting = [sweepSchedules(io, declared, deadlineAt), sweep(io, deadlineAt)] as const;
  const [due, woke] = await Promise.all([settled(waiting[0]), settled(waiting[1])]);
  const deleted = await settled(deletes(deadlineAt));
  const counted = await settled(countsDays(deadlineAt));
  if (due.status === 'rejected') throw due.reason;
  if (woke.status === 'rejected') throw woke.reason;
  if (deleted.status === 'rejected') throw deleted.reason;
  if (counted.status === 'rejected') throw counted.reason;
  log('info', 'swept', {
    ...woke.value,
    schedules: due.value,
    ...deleted.value,
    ...counted.value,
    ms: io.clock.now() - startedAt,
  });
});

async function deletes(deadlineAt: number) {
  const aged = kept === undefined ? 0 : await buryAged(io, kept, deadlineAt);
  // Sessions of tenants and people come first, so that the same sweep erases them. Half of the time is for the tombstones.
  const now = io.clock.now();
  const removed = await settled(deleteTenants(now + (deadlineAt - now) / 4));
  const people = await settled(deletePeople(now + (deadlineAt - now) / 2));
  const erased = await eraseBuried(io, deadlineAt);
  if (removed.status === 'rejected') throw removed.reason;
  if (people.status === 'rejected') throw people.reason;
  return { aged, ...erased, removed: removed.value, people: people.value };
}

/** Carries on with the removal of tenants whose key was deleted, and returns the number of sessions that it has buried. */
async function deleteTenants(deadlineAt: number): Promise<number | undefined> {
  const ports = await removalPorts();
  if (!ports) return undefined;
  const { removeTenants } = await import('../shared/agent/entrypoints/removed-tenants.ts');
  return removeTenants(ports, deadlineAt);
}

/** Carries on with the deletions of people's data that are due, and returns their number. Hardly ever is there one. */
async function deletePeople(deadlineAt: number): Promise<number> {
  const ports = await peoplePorts();
  if (!ports) return 0;
  const { erasePeople, erasureIdOf } = await import('../shared/agent/entrypoints/erase-person.ts');
  const { people, done } = await erasePeople(ports, deadlineAt);
  for (const { person, progress } of done) {
    const { sessions, memories, uploads } = progress;
    const named = { tenant: person.tenant, erasure: erasureIdOf(person) };
    log('info', 'the data of a person was deleted', { ...named, sessions, memories, uploads });
  }
  return people;
}

/** Carries on with the days that are to be counted. Mostly there are none, and all minutes but a few of a day have none. */
async function countsDays(deadlineAt: number) {
  const ports = await daysPorts();
  if (!ports) return undefined;
  const { countDays } = await import('../shared/agent/entrypoints/days/count.ts');
  const { days, unread } = await countDays(ports, deadlineAt);
  if (unread > 0) log('warn', 'sessions could not be read, and are missing in a counted day', { unread });
  return { days };
}

const settled = async <T>(work: Promise<T>): Promise<PromiseSettledResult<T>> => {
  const [one] = await Promise.allSettled([work]);
  return one;
};
