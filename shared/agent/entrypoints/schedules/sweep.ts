/** The part of the sweeper for schedules: it finds those that are due soon, and sends them to the step queue, timed. */

import type { ScheduleKey } from '../../../contract/schedules.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Schedules } from '../../schedules/store.ts';

/** How far it looks ahead, in ms: until the next sweep, which comes each minute, and a quarter longer. */
const AHEAD_MS = 75_000;
/** Largest assumed difference between clocks of hosts, in ms: a message that comes too early finds nothing. */
const SKEW_MS = 1_000;
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
    const bySecond = Map.groupBy(page, ({ dueAt }) => Math.max(0, Math.ceil((dueAt - now) / 1_000)));
    for (const [seconds, due] of bySecond)
      for (let i = 0; i < due.length; i += OF_MESSAGE) {
        const keys = due.slice(i, i + OF_MESSAGE).map(({ tenant, id }): ScheduleKey => ({ tenant, id }));
        await queue.due({ schedules: keys }, seconds === 0 ? 0 : seconds * 1_000 + SKEW_MS);
        sent += keys.length;
      }
    if (clock.now() >= deadlineAt) break;
  }
  return sent;
}
