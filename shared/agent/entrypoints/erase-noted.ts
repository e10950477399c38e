import type { SessionKey } from '../../contract/session.ts';
import { groupsOf } from '../plain/groups.ts';
import type { Ports } from '../ports/ports.ts';
import { cancel } from './accept.ts';
import { deleteAsSeen } from './delete.ts';
import { GRAVE_MS, type Graves } from './graves.ts';
import type { Noted, People, Person } from './people.ts';

/** Sessions that are handled in parallel. */
const AT_ONCE = 10;

export interface NotedIo extends Pick<Ports, 'clock' | 'sessions' | 'queue'> {
  readonly graves: Pick<Graves, 'bury' | 'read'>;
  readonly people: People;
}

/** The noted sessions after a sweep. */
export interface NotedLeft {
  /** Sessions of which something is still stored. */
  readonly left: number;
  /** Sessions of which only the tombstone is left. */
  readonly waiting: number;
  /** Sessions of which nothing is left, not even the note. */
  readonly gone: number;
}

/** Deletes the sessions that are noted for a person, as far as time allows. */
export async function eraseNoted(person: Person, io: NotedIo, deadlineAt: number): Promise<NotedLeft> {
  const before = await io.people.noted(person);
  let [left, waiting, gone] = [0, 0, 0];
  for (const some of groupsOf(before, AT_ONCE)) {
    const isOver = io.clock.now() >= deadlineAt;
    const after = isOver ? some : await Promise.all(some.map((noted) => handle(person, noted, io)));
    for (const noted of after) {
      if (noted === 'gone') gone += 1;
      else if (noted.state === 'erased') waiting += 1;
      else left += 1;
    }
  }
  return { left, waiting, gone };
}

/** Brings one session as far as it gets now. */
async function handle(person: Person, noted: Noted, io: NotedIo): Promise<Noted | 'gone'> {
  const key = { tenant: person.tenant, sessionId: noted.sessionId };
  const after = noted.state === 'open' ? await bury(person, key, io) : await look(key, noted, io);
  if (after === 'gone') await io.people.strike(person, noted.sessionId);
  else if (after.state !== noted.state) await io.people.mark(person, after);
  return after;
}

/** Deletes a session; stops its run first, if it has one, and has its forks noted, which contain its conversation. */
async function bury(person: Person, key: SessionKey, io: NotedIo): Promise<Noted | 'gone'> {
  const { sessionId } = key;
  const view = await io.sessions.read(key);
  if (!view) return look(key, { sessionId, state: 'buried' }, io);
  for (const fork of view.forks) await io.people.note(person, fork);
  const now = io.clock.now();
  const burial = await deleteAsSeen(view, now, io);
  if (burial.kind === 'buried') return { sessionId, state: 'buried', buriedAt: now };
  if (burial.kind === 'busy') await cancel(key, io);
  return { sessionId, state: 'open' };
}

/**
 * Looks after a deleted session. Once its tombstone is gone, its id may be another session's, which the person's deletion does
 * not concern: the walk finds it if it is theirs.
 */
async function look(key: SessionKey, noted: Noted, { clock, graves }: NotedIo): Promise<Noted | 'gone'> {
  const { buriedAt } = noted;
  if (noted.state === 'erased' && buriedAt !== undefined && clock.now() < buriedAt + GRAVE_MS) return noted;
  const grave = await graves.read(key);
  if (!grave) return 'gone';
  // The sweep that has deleted its data has set the second deletion for then.
  const isErased = grave.at >= grave.buriedAt + GRAVE_MS;
  return { ...noted, state: isErased ? 'erased' : 'buried', buriedAt: grave.buriedAt };
}
