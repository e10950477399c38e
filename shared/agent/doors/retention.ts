import type { SessionKey } from '../../contract/session.ts';
import type { Clock } from '../ports/ports.ts';
import type { SessionStore } from '../ports/sessions.ts';
import { deleteAsSeen } from './delete.ts';
import type { Graves } from './graves.ts';

/** Sessions that one sweep deletes for their age, at most: with it they are some 1,000 requests, and half a minute of a sweeper. */
const MOST_BURIED = 200;
/** Pages that one sweep looks at: 1,250 sessions, so a day is enough for 1.8 million. */
const MOST_PAGES = 5;
/** Sessions that are looked at at once. */
const AT_ONCE = 10;

/** A place on the walk over all sessions. */
export interface AgesPage {
  /** Sessions of this page that lists say have not moved since. */
  readonly aged: readonly SessionKey[];
  /** Where the walk goes on, for {@link Ages.advance}. */
  readonly next: string;
}

/**
 * A walk over all sessions that stand on lists, a page at a time; it begins anew a day after it has begun. Rejects when the table cannot be
 * reached; each operation may be done again.
 */
export interface Ages {
  /** The page at which the walk is, as far as lists know; undefined while none is to be made. */
  page(now: number, before: number): Promise<AgesPage | undefined>;
  /** The page is done. Whoever dies before that has it looked at again. */
  advance(next: string): Promise<void>;
  /** When a run of the session last began, waited or ended, by its lists, strongly consistent: epoch ms. */
  movedAt(key: SessionKey): Promise<number | undefined>;
}

interface Io {
  readonly clock: Pick<Clock, 'now'>;
  readonly sessions: Pick<SessionStore, 'read'>;
  readonly graves: Pick<Graves, 'bury'>;
  readonly ages: Ages;
}

/**
 * Deletes sessions at rest that have not moved for `keptMs`, as many as one sweep may. One that runs, waits or has forks stays.
 *
 * @param deadlineAt epoch ms after which no further one is begun
 * @returns how many it has deleted
 */
export async function buryAged(io: Io, keptMs: number, deadlineAt = Infinity): Promise<number> {
  const { clock, ages } = io;
  const before = clock.now() - keptMs;
  let buried = 0;
  for (let pages = 0; pages < MOST_PAGES && buried < MOST_BURIED; pages++) {
    const page = await ages.page(clock.now(), before);
    if (!page) return buried;
    for (let at = 0; at < page.aged.length; at += AT_ONCE) {
      if (clock.now() >= deadlineAt) return buried;
      const told = await Promise.all(
        page.aged.slice(at, at + AT_ONCE).map((key) => buryOne(key, before, io)),
      );
      buried += told.filter((is) => is).length;
    }
    await ages.advance(page.next);
  }
  return buried;
}

/** Lists are a moment behind: HEAD is read first, and whoever comes after that is seen by the burial. */
async function buryOne(
  key: SessionKey,
  before: number,
  { clock, sessions, graves, ages }: Io,
): Promise<boolean> {
  const view = await sessions.read(key);
  if (!view) return false;
  const { run, lastEnding } = view.session;
  const listedAt = (await ages.movedAt(key)) ?? Infinity;
  const movedAt = Math.max(listedAt, run?.startedAt ?? 0, lastEnding?.at ?? 0);
  if (movedAt >= before) return false;
  return (await deleteAsSeen(view, clock.now(), graves)).kind === 'buried';
}
