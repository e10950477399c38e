import middy from '@middy/core';
import { eraseBuried } from '../shared/agent/entrypoints/erase.ts';
import { buryAged } from '../shared/agent/entrypoints/retention.ts';
import { sweepSchedules } from '../shared/agent/entrypoints/schedules/sweep.ts';
import { sweep } from '../shared/agent/entrypoints/sweep.ts';
import { log } from '../shared/logger.ts';
import { keptMs, schedulesHash, sweepPorts } from './ports/sweep.ts';

const { io, peoplePorts, removalPorts } = sweepPorts();
const kept = keptMs();
const declared = schedulesHash();

/** Time in ms that is kept for the last sessions of a sweep: as long as all tries of the calls for one session take. */
const RESERVE_MS = 10_000;

/**
 * Each minute: sends the schedules that are due soon, wakes all sessions whose wake is overdue, and deletes as much of what is to be
 * deleted as time allows.
 */
export const handler = middy().handler(async (_event, context) => {
  const startedAt = io.clock.now();
  const deadlineAt = startedAt + context.getRemainingTimeInMillis() - RESERVE_MS;
  // Waiting work goes first, and a failure of one part does not stop the other. Both are short unless there was an outage.
  const waiting = [sweepSchedules(io, declared, deadlineAt), sweep(io, deadlineAt)] as const;
  const [due, woke] = await Promise.all([settled(waiting[0]), settled(waiting[1])]);
  const deleted = await settled(deletes(deadlineAt));
  if (due.status === 'rejected') throw due.reason;
  if (woke.status === 'rejected') throw woke.reason;
  if (deleted.status === 'rejected') throw deleted.reason;
  log('info', 'swept', {
    ...woke.value,
    schedules: due.value,
    ...deleted.value,
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

const settled = async <T>(work: Promise<T>): Promise<PromiseSettledResult<T>> => {
  const [one] = await Promise.allSettled([work]);
  return one;
};
