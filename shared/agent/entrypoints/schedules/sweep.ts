/** The part of the sweeper for schedules: it finds those that are due soon, and sends them to the step queue, timed. */

import type { ScheduleKey } from '../../../contract/schedules.ts';
import type { Ports } from '../../ports/ports.ts';
import { AHEAD_MS, delayUntil } from '../../schedules/soon.ts';
import type { Schedules } from '../../schedules/store.ts';

/** Schedules in one message: a step function looks at them within a few seconds. */
const OF_MESSAGE = 100;

/** The parts of the world that it needs. */
export interface SweepingSchedules extends Pick<Ports, 'clock' | 'queue'> {
  readonly schedules: Pick<Schedules, 'due' | 'declared'>;
}

/**
 * Sends messages for all schedules that are due before the next sweep. A message is a hint: a schedule decides by its own state
 * what is due, and one whose message is lost is sent again by the next sweep.
 *
 * @param hash of the schedules of this definition
 * @param deadlineAt epoch ms after which no further page is read
 * @returns how many were sent
 */
export async function sweepSchedules(
  { clock, queue, schedules }: SweepingSchedules,
  hash: string,
  deadlineAt = Number.POSITIVE_INFINITY,
): Promise<number> {
  const now = clock.now();
  const stored = await schedules.declared();
  if ((stored?.hash ?? '') !== hash) await queue.due({ schedules: [], declared: true });
  let sent = 0;
  for await (const page of schedules.due(now + AHEAD_MS)) {
    for (const [delayMs, due] of Map.groupBy(page, ({ dueAt }) => delayUntil(dueAt, now)))
      for (let i = 0; i < due.length; i += OF_MESSAGE) {
        const keys = due.slice(i, i + OF_MESSAGE).map(({ tenant, id }): ScheduleKey => ({ tenant, id }));
        await queue.due({ schedules: keys }, delayMs);
        sent += keys.length;
      }
    if (clock.now() >= deadlineAt) break;
  }
  return sent;
}
