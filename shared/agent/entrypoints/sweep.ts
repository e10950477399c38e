import type { Ports } from '../ports/ports.ts';
import type { SessionView, Sleeper } from '../ports/sessions.ts';
import { firstExpiry, waitsOutside } from '../session/waits.ts';
import { AGAIN_MS, MAX_DELAY_MS, wakeFor } from '../session/wake.ts';

/** Pages of sessions that are woken in parallel, of 100 each on AWS: fewer requests than the client has connections. */
const PAGES_AT_ONCE = 4;
/** How far a sweep looks ahead, in ms: until the next sweep, which comes each minute, and a quarter longer. */
const AHEAD_MS = 75_000;
/** Largest assumed difference between clocks of hosts, in ms: a wake that comes too early finds nothing. */
const SKEW_MS = 1_000;

/** The outcome of a sweep. */
export interface Swept {
  /** Overdue sessions that were woken. */
  readonly woken: number;
  /** Whether it has handled all overdue sessions. */
  readonly all: boolean;
}

/**
 * Wakes all sessions whose wake is overdue: waits that are longer than a queue message can be delayed, and wakes that were
 * lost. Apart from such waits it is only a backstop: the queue itself repairs what it can (docs/design.md).
 *
 * A failure with one session does not stop the others, and is thrown at the end. If a whole page fails, the cause is not a
 * session, and the rest is left for the next sweep.
 *
 * @param deadlineAt epoch ms after which no further page is begun
 */
export async function sweep(
  io: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
  deadlineAt = Infinity,
): Promise<Swept> {
  const now = io.clock.now();
  const pages = io.sessions.overdue(now, AHEAD_MS)[Symbol.asyncIterator]();
  const failures: unknown[] = [];
  let woken = 0;
  let all = false;
  let isOver = false;

  const takePage = async () => {
    const next = await pages.next();
    if (next.done) {
      isOver = all = true;
      return;
    }
    const page = next.value;
    const told = await Promise.allSettled(page.map((sleeper) => wake(sleeper, now, io)));
    const failed = told.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    woken += told.filter((one) => one.status === 'fulfilled' && one.value === 'woken').length;
    failures.push(...failed);
    if (failed.length === page.length) isOver = true;
  };
  const takePages = async () => {
    while (!isOver && io.clock.now() < deadlineAt) await takePage();
  };
  // All run to their end, even if one fails, so that nothing continues after this invocation.
  const ends = await Promise.allSettled(Array.from({ length: PAGES_AT_ONCE }, takePages));
  await pages.return?.();
  for (const end of ends) if (end.status === 'rejected') failures.push(end.reason);
  if (failures.length > 0) throw failures[0];
  return { woken, all };
}

type Io = Pick<Ports, 'sessions' | 'queue'>;

async function wake(sleeper: Sleeper, now: number, io: Io): Promise<'woken' | 'later'> {
  const { session, sweepAt } = sleeper;
  if (sweepAt > now) {
    await wakeOnTime(sleeper, now, io);
    return 'later';
  }
  await io.sessions.postpone(session.key, now, now + AGAIN_MS);
  await io.queue.send(wakeFor(session));
  return 'woken';
}

/**
 * Some waits for people are longer than a message can be delayed. They are woken when they expire, not up to a minute later,
 * because people would see buttons that no longer work. The wake does the same as that of a shorter wait (`commit.ts`).
 */
async function wakeOnTime({ session, fence, dueAt }: SessionView, now: number, { queue }: Io): Promise<void> {
  if (dueAt !== undefined || !waitsOutside(session)) return;
  const { waits, since } = session.batch ?? { waits: [], since: now };
  const until = firstExpiry(waits.filter(({ id }) => fence.pending.includes(id)));
  const hasItsOwn = until - since <= MAX_DELAY_MS;
  if (until > now && until <= now + AHEAD_MS && !hasItsOwn)
    await queue.send(wakeFor(session), until - now + SKEW_MS);
}
