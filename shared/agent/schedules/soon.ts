/** Timed messages for schedules that are due before the sweeper could send one. */

import type { DueSchedules } from '../../contract/queue.ts';
import type { StoredSchedule } from './schedule.ts';

/** The ports that send a timed message. */
export interface Announcing {
  readonly clock: { now(): number };
  readonly queue: { due(schedules: DueSchedules, delayMs?: number): Promise<void> };
}

/** How far messages are sent ahead, in ms: until the next sweep, which comes each minute, and a quarter longer. */
export const AHEAD_MS = 75_000;
/** Largest assumed difference between clocks of hosts, in ms: a message that comes too early finds nothing. */
const SKEW_MS = 1_000;

/** The delay of a message for a schedule, in ms: in whole seconds, as SQS counts. */
export function delayUntil(dueAt: number, now: number): number {
  const seconds = Math.max(0, Math.ceil((dueAt - now) / 1_000));
  return seconds === 0 ? 0 : seconds * 1_000 + SKEW_MS;
}

/**
 * Sends a message for the next tick of a schedule that was just stored, if the tick is due before the next sweep. The sweeper may
 * send another one, which finds nothing to do.
 */
export async function announceNext(
  { schedule, course }: Pick<StoredSchedule, 'schedule' | 'course'>,
  { clock, queue }: Announcing,
): Promise<void> {
  const { state, nextAt } = course;
  const now = clock.now();
  if (state !== 'active' || nextAt === undefined || nextAt > now + AHEAD_MS) return;
  await queue.due({ schedules: [schedule.key] }, delayUntil(nextAt, now));
}
