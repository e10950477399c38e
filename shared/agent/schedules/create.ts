import type { Schedule, StoredSchedule } from './schedule.ts';
import { type Announcing, announceNext } from './soon.ts';
import type { Schedules } from './store.ts';
import { begin } from './take.ts';

/** Schedules of one tenant that the API and tools create; more are refused. A few more may come in the same moment. */
const MAX_OF_TENANT = 1_000;

/** Stores a new schedule, unless its tenant has as many as are allowed: `full`. Returns the stored one; it may be an earlier one. */
export async function createSchedule(
  schedule: Schedule,
  io: Announcing & { readonly schedules: Pick<Schedules, 'create' | 'read' | 'count'> },
): Promise<StoredSchedule | 'full'> {
  const { clock, schedules } = io;
  const before = await schedules.read(schedule.key);
  if (before) return before;
  if ((await schedules.count(schedule.key.tenant, MAX_OF_TENANT)) >= MAX_OF_TENANT) return 'full';
  const stored = { schedule, course: begin(schedule, clock.now()), revision: 1 };
  const earlier = await schedules.create(stored);
  if (!earlier) await announceNext(stored, io);
  return earlier ?? stored;
}
