import { wakeFor } from './commit.ts';
import type { Ports } from './ports.ts';

/** Sessions that one sweep wakes at most; the next minute takes the rest. */
const BATCH = 200;

/**
 * Wakes the sessions whose wake is overdue: waits longer than a queue message can be delayed, and wakes that were
 * lost. Otherwise only a backstop: the queue itself repairs what it can (design.md section 4).
 *
 * @returns how many were woken
 */
export async function sweep({
  clock,
  sessions,
  queue,
}: Pick<Ports, 'clock' | 'sessions' | 'queue'>): Promise<number> {
  const overdue = await sessions.overdue(clock.now(), BATCH);
  await Promise.all(overdue.map(({ session }) => queue.send(wakeFor(session))));
  return overdue.length;
}
