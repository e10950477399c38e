/** Operations of people on schedules. */

import type { ScheduleKey } from '../../../contract/schedules.ts';
import type { Clock, Ids } from '../../ports/ports.ts';
import type { Queue } from '../../ports/queue.ts';
import { type Course, MAX_OPEN, type StoredSchedule, tickIdOf } from '../../schedules/schedule.ts';
import { announceNext } from '../../schedules/soon.ts';
import type { Schedules } from '../../schedules/store.ts';
import { pause, resume, runNow } from '../../schedules/take.ts';

/** Tries to change one, against ticks that are taken meanwhile. */
const TRIES = 10;

interface Io {
  readonly clock: Pick<Clock, 'now'>;
  readonly schedules: Pick<Schedules, 'read' | 'write'>;
}

/** The same for operations that make a schedule due. */
interface DueIo extends Io {
  readonly queue: Pick<Queue, 'due'>;
}

/** Begins no ticks until it is resumed. Idempotent. */
export const pauseSchedule = (key: ScheduleKey, io: Io): Promise<StoredSchedule | undefined> =>
  changed(key, io, ({ course }) => pause(course));

/** Goes on with the first tick after now. Idempotent. */
export async function resumeSchedule(key: ScheduleKey, io: DueIo): Promise<StoredSchedule | undefined> {
  const stored = await changed(key, io, (before) => resume(before, io.clock.now()));
  if (stored) await announceNext(stored, io);
  return stored;
}

/** Begins one more tick now. `full` if too many wait already. Returns the id of the tick. */
export async function runSchedule(
  key: ScheduleKey,
  io: DueIo & { readonly ids: Pick<Ids, 'next'> },
): Promise<string | 'full' | undefined> {
  const run = `r${io.ids.next()}`;
  let [at, isFull] = [0, false];
  const stored = await changed(key, io, ({ course }) => {
    at = io.clock.now();
    isFull = course.open.length >= MAX_OPEN;
    return isFull ? course : runNow(course, run, at);
  });
  if (!stored) return undefined;
  if (isFull) return 'full';
  await io.queue.due({ schedules: [key] });
  return tickIdOf({ at, run });
}

/** @param to the same object changes nothing */
async function changed(
  key: ScheduleKey,
  { schedules }: Io,
  to: (stored: StoredSchedule) => Course,
): Promise<StoredSchedule | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    const stored = await schedules.read(key);
    if (!stored) return undefined;
    const course = to(stored);
    if (course === stored.course) return stored;
    const next = { ...stored, course, revision: stored.revision + 1 };
    if ((await schedules.write(next)) === 'written') return next;
  }
  throw new Error(`the schedule ${key.id} changes too often`);
}
