/** Looks at schedules that are due: takes their ticks, decides on each, and carries the decisions out. */

import type { ScheduleKey, TickOutcome } from '../../../contract/schedules.ts';
import type { SessionKey } from '../../../contract/session.ts';
import { defined } from '../../plain/defined.ts';
import { canonicalJson } from '../../plain/hash.ts';
import { isTooLate } from '../../schedules/late.ts';
import {
  type Course,
  lookAt,
  type Schedule,
  type StoredSchedule,
  type Tick,
  type TickRecord,
  tickIdOf,
} from '../../schedules/schedule.ts';
import { announceNext } from '../../schedules/soon.ts';
import { pause, take } from '../../schedules/take.ts';
import { goingRunId } from '../../session/run-ids.ts';
import { cancelRun } from '../accept.ts';
import type { TickContext } from './context.ts';
import { textOf } from './message.ts';
import { isOverBudget, spendingIn, spentNow } from './spending.ts';
import { sessionOf, start, type Unstarted } from './start.ts';

/** Schedules that are looked at in parallel: fewer requests than a client has connections. */
const AT_ONCE = 10;

/** Ms until an open tick is looked at again: the run before it goes on, or this deployment does not know its message. */
const AGAIN_MS = 60_000;

/** Ms for which a tick is tried to be started. */
const GIVE_UP_MS = 24 * 3_600_000;

/** Tries to store what has become of ticks, against people who change the schedule meanwhile. */
const TRIES = 5;

/** The result of a look at some schedules. */
export interface Ticked {
  readonly started: number;
  /** Ticks with another outcome. */
  readonly others: number;
  /** Errors of schedules whose ticks stay open. The sweeper brings these again. */
  readonly failures: readonly unknown[];
}

/** Looks at these schedules. A failure with one does not stop the others. */
export async function tickAll(keys: readonly ScheduleKey[], context: TickContext): Promise<Ticked> {
  const failures: unknown[] = [];
  let [started, others] = [0, 0];
  const waiting = [...keys];
  const work = async () => {
    for (let key = waiting.shift(); key; key = waiting.shift()) {
      try {
        const outcomes = await tick(key, context);
        const begun = outcomes.filter((outcome) => outcome === 'started').length;
        started += begun;
        others += outcomes.length - begun;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { started, others, failures };
}

/**
 * Looks at one schedule. A tick is taken by a conditional write, so each is taken once; then its record is made, which is the
 * decision on it; then it is carried out, idempotently; and in the end it is removed from the open ones. A process that dies leaves the
 * tick open for the next one, which finds the record and goes by it.
 */
export async function tick(key: ScheduleKey, context: TickContext): Promise<readonly TickOutcome[]> {
  const { schedules, io } = context;
  const found = await schedules.read(key);
  if (!found) return [];
  const now = io.clock.now();
  const dueAt = lookAt(found.course);
  if (dueAt === undefined || dueAt > now) return [];
  const taken = take(found, now);
  // Even without a new tick, the lease keeps others from the open ones for a while.
  const stored = { ...found, course: leased(taken, now), revision: found.revision + 1 };
  if ((await schedules.write(stored)) === 'moved') return [];
  const before = new Set(found.course.open.map(tickIdOf));
  const done = await settleOpen(stored, before, context);
  const closed = await close(stored, done, context);
  if (closed && closed.course.nextAt !== found.course.nextAt) await announceNext(closed, io);
  return done.records.map(({ outcome }) => outcome);
}

const LEASE_MS = 120_000;
const leased = (course: Course, now: number): Course => ({ ...course, retryAt: now + LEASE_MS });

/** The outcomes of the open ticks of a schedule. */
interface Settled {
  readonly records: readonly TickRecord[];
  /** Open ticks that are done with. */
  readonly closed: readonly string[];
  readonly last?: Course['last'];
  readonly spent?: Course['spent'];
  /** The schedule cannot go on, for this reason. */
  readonly stopped?: string;
  /** Epoch ms at which the rest is looked at again. */
  readonly retryAt: number;
}

/** @param before open ticks that another process may have recorded */
async function settleOpen(
  stored: StoredSchedule,
  before: ReadonlySet<string>,
  context: TickContext,
): Promise<Settled> {
  const { io } = context;
  const { tenant } = stored.schedule.key;
  const read = (sessionId: string) => io.sessions.read({ tenant, sessionId });
  const records: TickRecord[] = [];
  const closed: string[] = [];
  let { last } = stored.course;
  let spent = await spentNow(stored, io.clock.now(), read);
  let stopped: string | undefined;
  for (const one of stored.course.open) {
    const known = before.has(tickIdOf(one))
      ? await context.schedules.recorded(stored.schedule.key, tickIdOf(one))
      : undefined;
    const decided = known ?? (await decide(stored, one, { last, spent }, context));
    if (decided === 'later') break;
    const record = await carryOut(stored, one, decided, context);
    records.push(record);
    closed.push(record.id);
    if (record.outcome === 'started' && record.sessionId !== undefined) {
      if (spent) spent = await spendingIn(spent, record.sessionId, read);
      last = { at: one.at, sessionId: record.sessionId };
    }
    stopped ??= record.stopped;
  }
  return {
    ...{ records, closed, retryAt: io.clock.now() + AGAIN_MS },
    ...defined({ last, spent, stopped }),
  };
}

/** The decision on a tick, on record: the first one stands. `later`: it stays open. */
async function decide(
  { schedule, course }: StoredSchedule,
  one: Tick,
  { last, spent }: Pick<Course, 'last' | 'spent'>,
  { io, schedules, messageOf }: TickContext,
): Promise<TickRecord | 'later'> {
  const { key, overlap, into, message, budget, reminder } = schedule;
  const now = io.clock.now();
  const record = (what: Omit<TickRecord, 'id' | 'at' | 'decidedAt'>) =>
    schedules.record(key, { id: tickIdOf(one), at: one.at, decidedAt: now, ...what });
  const { missedUntil } = one;
  if (missedUntil !== undefined) return record({ outcome: 'missed', missedUntil });
  if (course.state === 'paused' && one.run === undefined) return record({ outcome: 'skipped' });
  if (message === undefined && !messageOf(key.id) && !isTooLate(one, now)) return 'later';
  const sessionId = sessionOf(schedule, one);
  const before = into === 'new' ? last?.sessionId : sessionId;
  const going =
    before === undefined || (reminder && overlap === 'queue')
      ? undefined
      : await goingIn({ tenant: key.tenant, sessionId: before }, io);
  if (going && overlap === 'queue') return 'later';
  if (going && overlap === 'skip') return record({ outcome: 'skipped', sessionId: going.session.sessionId });
  if (isOverBudget(budget, spent)) return record({ outcome: 'over_budget' });
  // Only this run: a process that is slow must not cancel the run of this tick, which another one may have started.
  if (going) await cancelRun(going.session, going.runId, io);
  return record({ outcome: 'started', sessionId });
}

/** The run that goes on in a session, or is to begin; undefined if the session rests, or there is none. */
async function goingIn(session: SessionKey, { sessions }: TickContext['io']) {
  const view = await sessions.read(session);
  if (!view) return undefined;
  const { run } = view.session;
  const goes = (run !== undefined && !run.ended) || view.fence.inbox.length > 0 || view.fence.overflow;
  return goes ? { session, runId: goingRunId(view.session) } : undefined;
}

/** The record of a tick that was carried out: `failed` if it cannot be. */
async function carryOut(
  { schedule }: StoredSchedule,
  one: Tick,
  record: TickRecord,
  context: TickContext,
): Promise<TickRecord & { readonly stopped?: string }> {
  if (record.outcome !== 'started') return record;
  const { schedules, messageOf } = context;
  const message = schedule.message ?? messageOf(schedule.key.id);
  const said =
    message === undefined
      ? { detail: 'This deployment does not have its message.' }
      : textOf(schedule, one, message, record.decidedAt);
  const unstarted =
    (await revoked(schedule, context)) ??
    ('detail' in said ? said : await started(schedule, one, { ...said, ...record }, context));
  if (!unstarted) return record;
  const failed: TickRecord = { ...record, outcome: 'failed', detail: unstarted.detail };
  await schedules.correct(schedule.key, failed);
  const isOver = 'gone' in unstarted && schedule.into !== 'same';
  return { ...failed, ...(isOver && { stopped: unstarted.detail }) };
}

/** A key that was revoked begins no runs, not even by its schedules. */
async function revoked({ speaker }: Schedule, { isLive }: TickContext): Promise<Unstarted> {
  if (speaker.caller?.kind !== 'key') return undefined;
  const keyId = speaker.by.replace(/^key:/, '');
  return (await isLive(keyId))
    ? undefined
    : { detail: `The API key ${keyId}, which has created it, was revoked.`, gone: true };
}

/** As {@link start}. A start that has failed for a day is given up, so that it does not hold up the ticks after it. */
async function started(
  schedule: Schedule,
  one: Tick,
  what: Parameters<typeof start>[2],
  context: TickContext,
): Promise<Unstarted> {
  try {
    return await start(schedule, one, what, context);
  } catch (error) {
    if (context.io.clock.now() - one.takenAt < GIVE_UP_MS) throw error;
    return { detail: 'It could not be started for a day.' };
  }
}

/** Removes settled ticks from the open ones, whatever people have changed meanwhile. Returns what it has stored. */
async function close(
  stored: StoredSchedule,
  { closed, last, spent, stopped, retryAt }: Settled,
  { schedules }: TickContext,
): Promise<StoredSchedule | undefined> {
  let current: StoredSchedule | undefined = stored;
  for (let tries = 0; current && tries < TRIES; tries++) {
    const open = current.course.open.filter((one) => !closed.includes(tickIdOf(one)));
    const { retryAt: _, ...rest } = current.course;
    const course: Course = {
      ...rest,
      open,
      ...(open.length > 0 && { retryAt }),
      // A process that was slow must not put back what a later one has stored.
      ...(last && last.at >= (current.course.last?.at ?? 0) && { last }),
      ...(spent && canonicalJson(current.course.spent) === canonicalJson(stored.course.spent) && { spent }),
    };
    const ended = course.state === 'active' && course.nextAt === undefined && open.length === 0;
    if (ended && current.schedule.reminder) {
      await schedules.remove(current.schedule.key);
      return undefined;
    }
    const next = stopped !== undefined ? pause(course, stopped) : course;
    const to = {
      schedule: current.schedule,
      course: ended ? { ...next, state: 'done' as const } : next,
      revision: current.revision + 1,
    };
    if ((await schedules.write(to)) === 'written') return to;
    current = await schedules.read(stored.schedule.key);
  }
  return undefined;
}
