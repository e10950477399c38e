import type { Ports, SessionView } from '../ports.ts';
import { firstExpiry, waitsOutside } from '../session/waits.ts';
import { AGAIN_MS, MAX_DELAY_MS, wakeFor } from '../session/wake.ts';

/** Sessions that one sweep wakes at most; the next minute takes the rest. */
const BATCH = 200;
/** How far a sweep looks ahead, in ms: until the next one has looked, which comes each minute, and a quarter longer. */
const AHEAD_MS = 75_000;
/** By how much clocks of hosts may differ, in ms: a wake that comes too early finds nothing. */
const SKEW_MS = 1_000;

/**
 * Wakes the sessions whose wake is overdue: waits longer than a queue message can be delayed, and wakes that were
 * lost. Otherwise only a backstop: the queue itself repairs what it can (docs/design.md).
 *
 * @returns how many were woken
 */
export async function sweep(io: Pick<Ports, 'clock' | 'sessions' | 'queue'>): Promise<number> {
  const { clock, sessions, queue } = io;
  const now = clock.now();
  const overdue = await sessions.overdue(now, BATCH);
  const wake = async ({ session }: SessionView) => {
    await sessions.postpone(session.key, now, now + AGAIN_MS);
    await queue.send(wakeFor(session));
  };
  // All of them come to an end, also when one fails: nothing goes on after this invocation.
  const woken = await Promise.allSettled([...overdue.map(wake), wakeOnTime(now, io)]);
  for (const one of woken) if (one.status === 'rejected') throw one.reason;
  return overdue.length;
}

/**
 * Whoever waits for people so long that no message can be delayed until then is woken when it expires and not up to a minute
 * later: people see buttons that do nothing any more. The wake does what that of a shorter wait does (`commit.ts`).
 */
async function wakeOnTime(
  now: number,
  { sessions, queue }: Pick<Ports, 'sessions' | 'queue'>,
): Promise<void> {
  const soon = await sessions.overdue(now + AHEAD_MS, BATCH);
  const expiring = soon.flatMap(({ session, fence, dueAt }) => {
    if (dueAt !== undefined || !waitsOutside(session)) return [];
    const { waits, since } = session.batch ?? { waits: [], since: now };
    const until = firstExpiry(waits.filter(({ id }) => fence.pending.includes(id)));
    const hasItsOwn = until - since <= MAX_DELAY_MS;
    return until > now && until <= now + AHEAD_MS && !hasItsOwn ? [{ session, until }] : [];
  });
  await Promise.all(
    expiring.map(({ session, until }) => queue.send(wakeFor(session), until - now + SKEW_MS)),
  );
}
