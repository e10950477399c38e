import type { SessionKey } from '../../contract/session.ts';
import type { Memories } from '../memories/store.ts';
import { defined } from '../plain/defined.ts';
import { groupsOf } from '../plain/groups.ts';
import type { Schedules } from '../schedules/store.ts';
import { eraseNoted, type NotedIo } from './erase-noted.ts';
import { HELD_MS } from './graves.ts';
import {
  type Erasure,
  type ErasureRecord,
  type People,
  type Person,
  type Progress,
  quietFrom,
  stateOf,
} from './people.ts';

/** Sessions of one page of the lists. */
const PAGE = 500;
/** Pages that one sweep reads for one person: 10,000 sessions. */
const MOST_PAGES = 20;
/** Facts that are forgotten in parallel. */
const AT_ONCE = 20;

export { erasureIdOf } from './erasure-id.ts';

/** A row of a list: a session, and who began it, if that is known. */
interface Row {
  readonly sessionId: string;
  readonly user?: string;
}

interface Io extends NotedIo {
  readonly memories: Pick<Memories, 'all' | 'forget'>;
  readonly schedules: Pick<Schedules, 'page' | 'remove'>;
  readonly uploads: { forget(tenant: string, by: string): Promise<number> };
  readonly listed: {
    page(
      tenant: string,
      query: { readonly after?: string | undefined; readonly limit: number },
    ): Promise<{ readonly sessions: readonly Row[]; readonly next?: string }>;
  };
}

/** The result of a sweep over the people whose data is to be deleted. */
export interface PeopleErased {
  /** Deletions that were carried on. */
  readonly people: number;
  /** Those that have ended. Each is an audit line of the log. */
  readonly done: readonly (ErasureRecord & { readonly person: Person })[];
}

/**
 * Begins to delete a person's data. Repeating it changes nothing while data is being deleted; once all that was found is
 * deleted, it looks again.
 */
export async function requestErasure(
  person: Person,
  now: number,
  people: Pick<People, 'begin' | 'move'>,
): Promise<ErasureRecord> {
  const erasure = await people.begin(person, now);
  if (stateOf(erasure) !== 'erased') return erasure;
  const { cleanAt: _, walk: __, ...progress } = erasure.progress;
  return (await people.move(erasure, now, { ...progress, foundAt: now })) ?? erasure;
}

/**
 * Carries on with the deletions of people's data. A failure with one does not stop the others: it is retried in some minutes,
 * and thrown at the end.
 *
 * @param deadlineAt epoch ms after which nothing further is begun
 */
export async function erasePeople(io: Io, deadlineAt = Infinity): Promise<PeopleErased> {
  const failures: unknown[] = [];
  const done: (ErasureRecord & { readonly person: Person })[] = [];
  let people = 0;
  for await (const page of io.people.due(io.clock.now())) {
    for (const erasure of page) {
      if (io.clock.now() >= deadlineAt) break;
      try {
        const ended = await carryOn(erasure, io, deadlineAt);
        people += ended === 'held' ? 0 : 1;
        if (typeof ended === 'object') done.push(ended);
      } catch (error) {
        failures.push(error);
      }
    }
    if (io.clock.now() >= deadlineAt) break;
  }
  if (failures.length > 0) throw failures[0];
  return { people, done };
}

/** The process that moves the deletion has it for {@link HELD_MS}. If it dies, another one continues from what is stored. */
async function carryOn(erasure: Erasure, io: Io, deadlineAt: number) {
  const { clock, people, uploads } = io;
  const mine = await people.move(erasure, clock.now() + HELD_MS);
  if (!mine) return 'held';
  const { person } = mine;
  // First, so that none of them begins another session.
  await removeSchedules(person, io.schedules);
  const memories = mine.progress.memories + (await forgetFacts(person, io.memories));
  const unused = mine.progress.uploads + (await uploads.forget(person.tenant, person.user));
  const walked = await walk(person, { ...mine.progress, memories, uploads: unused }, io, deadlineAt);
  const { left, waiting, gone } = await eraseNoted(person, io, deadlineAt);
  const progress = { ...walked, left, waiting, sessions: walked.sessions + gone };
  const now = clock.now();
  const isQuiet = (progress.cleanAt ?? 0) >= quietFrom(progress);
  if (isQuiet && left + waiting === 0) {
    await people.finish({ ...mine, progress }, now);
    return { person, requestedAt: mine.requestedAt, progress, doneAt: now };
  }
  const isErased = stateOf({ requestedAt: mine.requestedAt, progress }) === 'erased';
  await people.move(mine, isErased ? Math.max(now, quietFrom(progress)) : now, progress);
  return 'going';
}

/**
 * Walks over the tenant's lists, and notes the person's sessions: soon, until a whole walk finds no further one, and once more
 * when no process is left that could begin one late. A walk may see a session late, if it moves in the lists meanwhile.
 */
async function walk(person: Person, before: Progress, io: Io, deadlineAt: number): Promise<Progress> {
  const { clock, listed } = io;
  const { walk: going, ...rest } = before;
  const isWanted = before.cleanAt === undefined || before.cleanAt < quietFrom(before);
  const isLast = before.cleanAt !== undefined;
  if (!going && (!isWanted || (isLast && clock.now() < quietFrom(before)))) return before;
  let { begunAt, found, after } = going ?? { begunAt: clock.now(), found: 0 };
  for (let pages = 0; pages < MOST_PAGES && clock.now() < deadlineAt; pages++) {
    const { sessions, next } = await listed.page(person.tenant, { limit: PAGE, after });
    for (const row of sessions) if (await isTheirs(row, person, io)) found += await noteOne(row, person, io);
    after = next;
    if (next !== undefined) continue;
    if (found === 0) return { ...rest, cleanAt: begunAt };
    const { cleanAt: _, ...unclean } = rest;
    return { ...unclean, foundAt: clock.now() };
  }
  return { ...before, walk: { begunAt, found, ...defined({ after }) } };
}

/**
 * Whether they began the session. If the process that accepted its first message died, lists do not say who that was, but HEAD
 * does.
 */
async function isTheirs({ sessionId, user }: Row, person: Person, { sessions }: Io): Promise<boolean> {
  if (user !== undefined) return user === person.user;
  const key: SessionKey = { tenant: person.tenant, sessionId };
  const view = await sessions.read(key);
  const { user: owner, run } = view?.session ?? {};
  const [only, ...others] = run?.requesters ?? [];
  return owner === person.user || (only === person.user && others.length === 0);
}

/** How many sessions that makes. Lists may still show a session that is deleted. */
async function noteOne({ sessionId }: Row, person: Person, { people, sessions }: Io): Promise<number> {
  if (!(await sessions.read({ tenant: person.tenant, sessionId }))) return 0;
  return (await people.note(person, sessionId)) === 'new' ? 1 : 0;
}

/** Schedules that they have created. */
async function removeSchedules({ tenant, user }: Person, schedules: Io['schedules']): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const page = await schedules.page(tenant, after, PAGE);
    const theirs = page.filter(({ schedule }) => schedule.speaker.by === user || schedule.user === user);
    for (const { schedule } of theirs) await schedules.remove(schedule.key);
    after = page.length < PAGE ? undefined : page.at(-1)?.schedule.key.id;
  }
}

/** Their own facts, and shared ones of runs that had read their messages. */
async function forgetFacts({ tenant, user }: Person, memories: Io['memories']): Promise<number> {
  const own = { tenant, user };
  const theirs = (await memories.all(own)).map(({ id }) => ({ owner: own, id }));
  const shared = (await memories.all({ tenant })).filter(({ by }) => by.includes(user));
  const all = [...theirs, ...shared.map(({ id }) => ({ owner: { tenant }, id }))];
  let forgotten = 0;
  for (const some of groupsOf(all, AT_ONCE)) {
    const told = await Promise.all(some.map(({ owner, id }) => memories.forget(owner, id)));
    forgotten += told.filter((one) => one === 'forgotten').length;
  }
  return forgotten;
}
