import type { SessionKey } from '../../contract/session.ts';
import type { Clock } from '../ports/ports.ts';
import type { SessionStore } from '../ports/sessions.ts';
import { GRAVE_MS, type Grave, type Graves, HELD_MS } from './graves.ts';

/** Sessions whose items are deleted at once: each is some dozens of requests. */
const AT_ONCE = 4;

/** What became of a sweep over the graves. */
export interface Erased {
  /** Sessions of which nothing is left but the tombstone. */
  readonly erased: number;
  /** Tombstones that are gone. */
  readonly closed: number;
}

interface Io {
  readonly clock: Pick<Clock, 'now'>;
  readonly graves: Graves;
  readonly sessions: Pick<SessionStore, 'removeFork'>;
  readonly limits: { forget(key: SessionKey): Promise<void> };
}

/**
 * Deletes what is stored of sessions that were deleted: soon after, and once more when nobody is left who could have written since. What
 * goes wrong with one stops no other: it is tried again in some minutes, and thrown at the end.
 *
 * @param deadlineAt epoch ms after which no further one is begun
 */
export async function eraseBuried(io: Io, deadlineAt = Infinity): Promise<Erased> {
  const failures: unknown[] = [];
  let [erased, closed] = [0, 0];
  for await (const page of io.graves.due(io.clock.now())) {
    for (let at = 0; at < page.length && io.clock.now() < deadlineAt; at += AT_ONCE) {
      const told = await Promise.allSettled(page.slice(at, at + AT_ONCE).map((grave) => eraseOne(grave, io)));
      for (const one of told) {
        if (one.status === 'rejected') failures.push(one.reason);
        else if (one.value === 'erased') erased += 1;
        else if (one.value === 'closed') closed += 1;
      }
    }
    if (io.clock.now() >= deadlineAt) break;
  }
  if (failures.length > 0) throw failures[0];
  return { erased, closed };
}

/** Whoever moves the grave has it for {@link HELD_MS}: nobody deletes for another session that has its key by then. */
async function eraseOne(
  grave: Grave,
  { clock, graves, sessions, limits }: Io,
): Promise<'erased' | 'closed' | 'held'> {
  const mine = await graves.move(grave, clock.now() + HELD_MS);
  if (!mine) return 'held';
  await releaseOrigin(mine, sessions);
  await graves.erase(mine);
  await limits.forget(mine.key);
  const lastAt = mine.buriedAt + GRAVE_MS;
  if (clock.now() < lastAt) {
    await graves.move(mine, lastAt);
    return 'erased';
  }
  await graves.close(mine);
  return 'closed';
}

/** The session that it was forked from may be deleted when all of its forks are. */
async function releaseOrigin({ key, origin }: Grave, sessions: Io['sessions']): Promise<void> {
  if (origin !== undefined)
    await sessions.removeFork({ tenant: key.tenant, sessionId: origin }, key.sessionId);
}
