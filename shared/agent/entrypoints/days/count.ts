import type { SessionKey } from '../../../contract/session.ts';
import { groupsOf } from '../../plain/groups.ts';
import { TenantKeyDeleted } from '../../plain/tenant-key-deleted.ts';
import type { Clock } from '../../ports/ports.ts';
import type { SessionStore } from '../../ports/sessions.ts';
import { tallySession } from './of-session.ts';
import { dayAfter, type Span, spanOf } from './span.ts';
import { TooLate } from './steps-since.ts';
import type { Activity, Course, Days } from './store.ts';
import { addTallies, emptyTally, type Tally } from './tally.ts';

/** Sessions that are read in parallel. */
const AT_ONCE = 16;
/** Sessions of one day that are counted, at most: their ids take some 10 MB, and listing them 12,500 read units. */
const MOST_SESSIONS = 100_000;
/** Walks over the lists for one day, at most. */
const MOST_WALKS = 5;
/** Ms that the last sessions of a sweep may take after its deadline. */
const LATE_MS = 5_000;
/** How far lists may be behind, in ms. */
const LAG_MS = 60_000;
/**
 * Ms after the end of a day at which it is counted. A step is claimed before midnight and committed after it: by then it has ended,
 * since a function runs for 15 minutes at most.
 */
const SETTLED_MS = 30 * 60_000;

export interface CountIo {
  readonly clock: Pick<Clock, 'now'>;
  readonly sessions: Pick<SessionStore, 'read' | 'slots'>;
  readonly days: Days;
  readonly activity: Activity;
  /** Whether an error means that a service cannot be reached. */
  readonly isOutage: (error: unknown) => boolean;
}

/** The outcome of a sweep. */
export interface Counted {
  /** Days that it has finished. */
  readonly days: number;
  /** Sessions that it could not read. */
  readonly unread: number;
}

const sumOf = (a: Counted, b: Counted): Counted => ({ days: a.days + b.days, unread: a.unread + b.unread });

/** Epoch ms from which a day can be counted. */
export const countableFrom = (day: string): number => spanOf(day).to + SETTLED_MS;

/**
 * Counts the days of tenants that are over, oldest first. A sweep that dies, or is late, changes nothing: a day is counted from what
 * is stored of its sessions, never added to an earlier count. A failure with one tenant does not stop the others, and is thrown at
 * the end.
 *
 * @param deadlineAt epoch ms after which no further session is begun
 */
export async function countDays(io: CountIo, deadlineAt = Infinity): Promise<Counted> {
  const failures: unknown[] = [];
  let counted: Counted = { days: 0, unread: 0 };
  for await (const courses of io.days.due(io.clock.now()))
    for (const course of courses) {
      if (io.clock.now() >= deadlineAt) break;
      try {
        counted = sumOf(counted, await carryOn(course, io, deadlineAt));
      } catch (error) {
        if (error instanceof TenantKeyDeleted) await io.days.remove(course.tenant);
        else failures.push(error);
      }
    }
  if (failures.length > 0) throw failures[0];
  return counted;
}

async function carryOn(begun: Course, io: CountIo, deadlineAt: number): Promise<Counted> {
  const { clock, days } = io;
  let course: Course | undefined = begun;
  let unread = 0;
  for (let finished = 0; ; finished++) {
    if (!course || clock.now() < countableFrom(course.day)) return { days: finished, unread };
    const { after, tally, unread: more } = await countDay(course, io, deadlineAt);
    unread += more;
    if (after !== undefined) {
      await days.move(course, { day: course.day, at: clock.now(), part: { after, tally } });
      return { days: finished, unread };
    }
    await days.put(course.tenant, { day: course.day, tally });
    const day = dayAfter(course.day);
    course = await days.move(course, { day, at: countableFrom(day) });
  }
}

/** How far a sweep has come with a day. */
interface Progress {
  readonly tally: Tally;
  /** The last session that is counted; absent if that are all of them. */
  readonly after?: string;
  /** Sessions that could not be read. */
  readonly unread: number;
}

/** Counts the sessions of the day that are left. */
async function countDay({ tenant, day, part }: Course, io: CountIo, deadlineAt: number): Promise<Progress> {
  const span = spanOf(day);
  const { ids, isAll } = await activeOn(tenant, span, io);
  let { after = '', tally } = part ?? { tally: isAll ? emptyTally : partialTally };
  let unread = 0;
  let isBegun = false;
  for (const some of groupsOf(
    ids.filter((id) => id > after),
    AT_ONCE,
  )) {
    // One group is always counted, so that each sweep gets further.
    if (isBegun && io.clock.now() >= deadlineAt) return { tally, after, unread };
    const isLate = () => io.clock.now() >= deadlineAt + LATE_MS;
    const told = await Promise.all(
      some.map((sessionId) => readTally({ tenant, sessionId }, span, io, isLate)),
    );
    const late = told.indexOf('late');
    // A session that takes a whole sweep by itself would never be read.
    if (late === 0 && !isBegun)
      return { tally: addTallies(tally, partialTally), after: some[0], unread: unread + 1 };
    if (late >= 0) told.length = late;
    tally = told.reduce<Tally>(
      (sum, one) => addTallies(sum, typeof one === 'string' ? partialTally : one),
      tally,
    );
    unread += told.filter((one) => one === 'unread').length;
    after = some[told.length - 1] ?? after;
    if (late >= 0) return { tally, after, unread };
    isBegun = true;
  }
  return { tally, unread };
}

const partialTally: Tally = { ...emptyTally, partial: true };

/** A session that cannot be read, though the services can be reached, must not stop the day: it is left out. */
async function readTally(
  key: SessionKey,
  span: Span,
  io: CountIo,
  isLate: () => boolean,
): Promise<Tally | 'unread' | 'late'> {
  try {
    return (await tallySession(key, span, io.sessions, isLate)) ?? emptyTally;
  } catch (error) {
    if (error instanceof TooLate) return 'late';
    if (error instanceof TenantKeyDeleted || io.isOutage(error)) throw error;
    return 'unread';
  }
}

/**
 * The sessions that may have done something on a day, in the order of their ids: it stays the same while sessions move in the lists,
 * so a later sweep can continue. Walks again over what has moved meanwhile, until a walk finds no further session.
 */
async function activeOn(
  tenant: string,
  { from, to }: Span,
  { activity, clock }: CountIo,
): Promise<{ readonly ids: readonly string[]; readonly isAll: boolean }> {
  const found = new Set<string>();
  let since = from;
  for (let walks = 0; walks < MOST_WALKS; walks++) {
    const before = found.size;
    const begunAt = clock.now();
    for await (const sessions of activity.since(tenant, since)) {
      for (const { sessionId, createdAt } of sessions) if (createdAt < to) found.add(sessionId);
      if (found.size >= MOST_SESSIONS) return { ids: sorted(found), isAll: false };
    }
    if (found.size === before) break;
    since = Math.max(from, begunAt - LAG_MS);
  }
  return { ids: sorted(found), isAll: true };
}

const sorted = (ids: ReadonlySet<string>): string[] => [...ids].toSorted((a, b) => (a < b ? -1 : 1));
