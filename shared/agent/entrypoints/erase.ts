import type { SessionKey } from '../../contract/session.ts';
import { groupsOf } from '../plain/groups.ts';
import { TenantKeyDeleted } from '../plain/tenant-key-deleted.ts';
import type { Clock } from '../ports/ports.ts';
import type { SessionStore } from '../ports/sessions.ts';
import { GRAVE_MS, type Grave, type Graves, HELD_MS } from './graves.ts';

/** Sessions whose items are deleted in parallel: each takes some dozens of requests. */
const AT_ONCE = 4;

/** The outcome of a sweep over the tombstones. */
export interface Erased {
  /** Sessions of which only the tombstone is left. */
  readonly erased: number;
  /** Tombstones that were deleted. */
  readonly closed: number;
}

interface Io {
  readonly clock: Pick<Clock, 'now'>;
  readonly graves: Graves;
  readonly sessions: Pick<SessionStore, 'removeFork'>;
  readonly limits: { forget(key: SessionKey): Promise<void> };
}

/**
 * Deletes the stored data of deleted sessions: once soon after, and again when no writer is left. A failure with one session
 * does not stop the others: it is retried in some minutes, and thrown at the end.
 *
 * @param deadlineAt epoch ms after which no further session is begun
 */
export async function eraseBuried(io: Io, deadlineAt = Infinity): Promise<Erased> {
  const failures: unknown[] = [];
  let [erased, closed] = [0, 0];
  for await (const page of io.graves.due(io.clock.now())) {
    for (const some of groupsOf(page, AT_ONCE)) {
      if (io.clock.now() >= deadlineAt) break;
      const told = await Promise.allSettled(some.map((grave) => eraseOne(grave, io)));
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

/**
 * The process that moves the tombstone has it for {@link HELD_MS}: meanwhile the key cannot become another session's, whose
 * data would be deleted.
 */
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

/** A session may be deleted when all of its forks are. */
async function releaseOrigin({ key, origin }: Grave, sessions: Io['sessions']): Promise<void> {
  if (origin === undefined) return;
  try {
    await sessions.removeFork({ tenant: key.tenant, sessionId: origin }, key.sessionId);
  } catch (error) {
    // The origin is removed, too.
    if (!(error instanceof TenantKeyDeleted)) throw error;
  }
}
