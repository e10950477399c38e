import type { SessionKey } from '../../contract/session.ts';
import { groupsOf } from '../plain/groups.ts';
import { TenantKeyDeleted } from '../plain/tenant-key-deleted.ts';
import type { Clock } from '../ports/ports.ts';
import type { Queue } from '../ports/queue.ts';
import type { SessionStore } from '../ports/sessions.ts';
import { deleteAsSeen } from './delete.ts';
import type { Graves } from './graves.ts';

/** Sessions that one sweep deletes for their age, at most. They take some 1,000 requests, and half a minute of a sweeper. */
const MOST_BURIED = 200;
/** Pages that one sweep reads: 1,250 sessions, so a day is enough for 1.8 million. */
const MOST_PAGES = 5;
/** Sessions that are checked in parallel. */
const AT_ONCE = 10;

/** A place on the walk over all sessions. */
export interface AgesPage {
  /** Sessions of this page that have not changed since, according to lists. */
  readonly aged: readonly SessionKey[];
  /** The position at which the walk continues, for {@link Ages.advance}. */
  readonly next: string;
}

/**
 * A walk over all listed sessions, a page at a time. It restarts a day after it began. Rejects if the table cannot be reached;
 * each operation may be repeated.
 */
export interface Ages {
  /** The current page of the walk, as far as lists know; undefined while no walk is due. */
  page(now: number, before: number): Promise<AgesPage | undefined>;
  /** Marks the page as done. If a process dies before that, the page is read again. */
  advance(next: string): Promise<void>;
  /** When a run of the session last began, waited or ended, by its lists, strongly consistent: epoch ms. */
  movedAt(key: SessionKey): Promise<number | undefined>;
}

interface Io {
  readonly clock: Pick<Clock, 'now'>;
  readonly sessions: Pick<SessionStore, 'read' | 'cancel'>;
  readonly queue: Pick<Queue, 'send'>;
  readonly graves: Pick<Graves, 'bury'>;
  readonly ages: Ages;
}

/**
 * Deletes sessions at rest that have not changed for `keptMs`, as many as one sweep may. A session that runs, waits or has
 * forks stays.
 *
 * @param deadlineAt epoch ms after which no further session is begun
 * @returns how many it has deleted
 */
export async function buryAged(io: Io, keptMs: number, deadlineAt = Infinity): Promise<number> {
  const { clock, ages } = io;
  const before = clock.now() - keptMs;
  let buried = 0;
  for (let pages = 0; pages < MOST_PAGES && buried < MOST_BURIED; pages++) {
    const page = await ages.page(clock.now(), before);
    if (!page) return buried;
    for (const some of groupsOf(page.aged, AT_ONCE)) {
      if (clock.now() >= deadlineAt) return buried;
      const told = await Promise.all(some.map((key) => buryOne(key, before, io).catch(unlessKeyDeleted)));
      buried += told.filter((is) => is).length;
    }
    await ages.advance(page.next);
  }
  return buried;
}

/** A session that cannot be read is removed with its tenant (`removed-tenants.ts`). */
function unlessKeyDeleted(error: unknown): false {
  if (error instanceof TenantKeyDeleted) return false;
  throw error;
}

/** Lists are slightly behind, so HEAD is read first, and the burial detects a change after that. */
async function buryOne(key: SessionKey, before: number, io: Io): Promise<boolean> {
  const { clock, sessions, ages } = io;
  const view = await sessions.read(key);
  if (!view) return false;
  const { run, lastEnding } = view.session;
  const listedAt = (await ages.movedAt(key)) ?? Infinity;
  const movedAt = Math.max(listedAt, run?.startedAt ?? 0, lastEnding?.at ?? 0);
  if (movedAt >= before) return false;
  return (await deleteAsSeen(view, clock.now(), io)).kind === 'buried';
}
