/** Changes of a schedule's course. Pure: a change counts once it is stored over the revision that it was made from. */

import { defined } from '../plain/defined.ts';
import { type Course, MAX_OPEN, type Schedule, type StoredSchedule, type Tick } from './schedule.ts';
import { nextTick, type Timing } from './when.ts';

/** Ms after which a tick that has not been taken counts as missed. The sweeper looks each minute, so then it was down. */
export const GRACE_MS = 10 * 60_000;

/** Ms for which a taken tick is left to the process that has taken it. */
const LEASE_MS = 2 * 60_000;

type Ticking = Pick<StoredSchedule, 'schedule' | 'course'>;

export const timingOf = ({ when, zone, until }: Schedule, { anchor }: Course): Timing => ({
  ...{ when, zone, anchor },
  ...defined({ until }),
});

/** The course of a schedule that begins now: its first tick is after `now`. */
export function begin(schedule: Schedule, now: number): Course {
  const anchor = Math.floor(now / 60_000) * 60_000;
  const nextAt = nextTick({ ...schedule, anchor }, now);
  return {
    state: nextAt === undefined ? 'done' : 'active',
    anchor,
    open: [],
    ...defined({ nextAt }),
  };
}

/** The course after all ticks that are due were taken, as far as there is room; the same object if none is due. */
export function take({ schedule, course }: Ticking, now: number): Course {
  const { state, nextAt, open } = course;
  if (state !== 'active' || nextAt === undefined || nextAt > now || open.length >= MAX_OPEN) return course;
  const { ticks, next } = dueTicks(schedule, course, nextAt, now);
  const { nextAt: _, ...rest } = course;
  return {
    ...rest,
    open: [...open, ...ticks],
    retryAt: now + LEASE_MS,
    ...defined({ nextAt: next }),
  };
}

/** Ticks from `from` to `now` that are to be started or noted, and the first tick after them. */
function dueTicks(schedule: Schedule, course: Course, from: number, now: number) {
  const timing = timingOf(schedule, course);
  const room = MAX_OPEN - course.open.length;
  const ticks: Tick[] = [];
  let next: number | undefined = from;
  if (schedule.catchUp !== 'all' && from < now - GRACE_MS) {
    // There may be half a million of them: only the last one is looked for.
    const last = lastBefore(timing, from, now - GRACE_MS);
    const fresh = nextTick(timing, last);
    const isTakenLast = schedule.catchUp === 'last' && (fresh === undefined || fresh > now);
    const missedUntil = isTakenLast ? lastBefore(timing, from, last) : last;
    if (!isTakenLast || last > from) ticks.push({ at: from, missedUntil, takenAt: now });
    if (isTakenLast) ticks.push({ at: last, takenAt: now });
    next = fresh;
  }
  while (next !== undefined && next <= now && ticks.length < room) {
    ticks.push({ at: next, takenAt: now });
    next = nextTick(timing, next);
  }
  return { ticks, next };
}

/** The last tick before `end`, not before `from`, which is one. */
function lastBefore(timing: Timing, from: number, end: number): number {
  for (let span = 3_600_000; ; span *= 24) {
    const start = Math.max(from, end - span);
    let last: number | undefined;
    for (let at = start === from ? from : nextTick(timing, start); at !== undefined && at < end; ) {
      last = at;
      at = nextTick(timing, at);
    }
    if (last !== undefined) return last;
    if (start === from) return from;
  }
}

/** The course of a schedule that people have paused: ticks that were taken are left out, and no more are. */
export const pause = (course: Course, why?: string): Course =>
  course.state === 'active' ? { ...course, state: 'paused', retryAt: 0, ...defined({ why }) } : course;

/** Notes ticks that are due and will not be taken, so that each has an outcome. */
function leaveOut({ schedule, course }: Ticking, now: number): Course {
  const { nextAt: at } = course;
  if (at === undefined || at > now) return course;
  const missedUntil = lastBefore(timingOf(schedule, course), at, now + 1);
  return { ...course, open: [...course.open, { at, missedUntil, takenAt: now }], retryAt: now };
}

/** The course of a schedule that goes on: with the first tick after `now`. */
export function resume({ schedule, course: paused }: Ticking, now: number): Course {
  if (paused.state !== 'paused') return paused;
  const course = leaveOut({ schedule, course: paused }, now);
  const { why: _why, nextAt: _nextAt, ...rest } = course;
  const nextAt = nextTick(timingOf(schedule, course), now);
  return {
    ...rest,
    state: nextAt === undefined ? 'done' : 'active',
    ...defined({ nextAt }),
  };
}

/** The course with a tick that a person asks for now. */
export const runNow = (course: Course, run: string, now: number): Course => ({
  ...course,
  open: [...course.open, { at: now, run, takenAt: now }],
  retryAt: now,
});

/**
 * The course of a schedule that a deploy changes. Ticks that are due under the old times are taken, so that none is lost between
 * the two; new times count from `now`.
 */
export function change(stored: Ticking, to: Schedule, now: number): Course {
  const taken = take(stored, now);
  const { when, zone } = stored.schedule;
  if (JSON.stringify([when, zone]) === JSON.stringify([to.when, to.zone])) return taken;
  const course = leaveOut({ schedule: stored.schedule, course: taken }, now);
  const { nextAt, anchor, state } = begin(to, now);
  const { nextAt: _, ...rest } = course;
  return {
    ...rest,
    anchor,
    state: course.state === 'paused' ? 'paused' : state,
    ...defined({ nextAt }),
  };
}
