import { wakeFor } from './commit.ts';
import type { Ports, SessionView } from './ports.ts';
import { AGAIN_MS } from './wake-times.ts';

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
  const now = clock.now();
  const overdue = await sessions.overdue(now, BATCH);
  const wake = async ({ session }: SessionView) => {
    await sessions.postpone(session.key, now, now + AGAIN_MS);
    await queue.send(wakeFor(session));
  };
  // All of them come to an end, also when one fails: nothing goes on after this invocation.
  const woken = await Promise.allSettled(overdue.map(wake));
  for (const one of woken) if (one.status === 'rejected') throw one.reason;
  return overdue.length;
}
