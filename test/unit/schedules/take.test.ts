import { describe, expect, test } from 'vitest';
import { type Course, MAX_OPEN, type Schedule } from '../../../shared/agent/schedules/schedule.ts';
import { begin, change, pause, resume, take } from '../../../shared/agent/schedules/take.ts';
import type { CatchUp, When } from '../../../shared/contract/schedules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 27, 9);

const aSchedule = (when: When, catchUp: CatchUp = 'last'): Schedule => ({
  ...{ key: { tenant: 'acme', id: 'report' }, name: 'Report', agent: 'triage', when, zone: 'UTC' },
  ...{ message: 'go', into: 'new', overlap: 'skip', catchUp, declared: false, createdAt: NOW },
  speaker: { by: 'user:ada' },
});
const at = (ms: number) => new Date(ms).toISOString().slice(5, 16);
const shown = ({ open, nextAt }: Course) => ({
  open: open.map(
    (tick) => `${at(tick.at)}${tick.missedUntil ? ` missed until ${at(tick.missedUntil)}` : ''}`,
  ),
  next: nextAt && at(nextAt),
});
const hourly = { cron: '0 * * * *' };

test('a schedule begins with the first tick after now', () => {
  expect(shown(begin(aSchedule(hourly), NOW))).toEqual({ open: [], next: '11-27T10:00' });
  expect(shown(begin(aSchedule({ every: '10m' }), NOW + 20_000))).toEqual({ open: [], next: '11-27T09:10' });
  expect(begin(aSchedule({ at: '2026-11-27T08:59' }), NOW)).toMatchObject({ state: 'done' });
});

test('a tick is taken when it is due, and the next one is not', () => {
  const schedule = aSchedule(hourly);
  const course = begin(schedule, NOW);
  expect(take({ schedule, course }, NOW + HOUR - 1)).toBe(course);
  expect(shown(take({ schedule, course }, NOW + HOUR))).toEqual({
    open: ['11-27T10:00'],
    next: '11-27T11:00',
  });
});

describe('after ten hours in which nothing ran', () => {
  const shownAfter = (catchUp: CatchUp, minutes = 20, when: When = hourly) => {
    const schedule = aSchedule(when, catchUp);
    return shown(take({ schedule, course: begin(schedule, NOW) }, NOW + 10 * HOUR + minutes * MINUTE));
  };

  test('none is started, and it is noted which were missed', () => {
    expect(shownAfter('none')).toEqual({
      open: ['11-27T10:00 missed until 11-27T19:00'],
      next: '11-27T20:00',
    });
  });

  test('the last is started, and those before it are noted', () => {
    expect(shownAfter('last')).toEqual({
      open: ['11-27T10:00 missed until 11-27T18:00', '11-27T19:00'],
      next: '11-27T20:00',
    });
  });

  test('one that is not late yet stands for those before it', () => {
    const fresh = { open: ['11-27T10:00 missed until 11-27T18:00', '11-27T19:00'], next: '11-27T20:00' };
    expect(shownAfter('none', 5)).toEqual(fresh);
    expect(shownAfter('last', 5)).toEqual(fresh);
  });

  test('all are started, in their order', () => {
    expect(shownAfter('all').open).toHaveLength(10);
    expect(shownAfter('all').next).toBe('11-27T20:00');
  });

  test('all of very many are taken as there is room', () => {
    const schedule = aSchedule({ every: '1m' }, 'all');
    let course = take({ schedule, course: begin(schedule, NOW) }, NOW + 10 * HOUR);
    expect(course.open).toHaveLength(MAX_OPEN);
    expect(take({ schedule, course }, NOW + 10 * HOUR)).toBe(course);
    let taken = course.open.length;
    for (; (course.nextAt ?? 0) <= NOW + 10 * HOUR; taken += course.open.length)
      course = take({ schedule, course: { ...course, open: [] } }, NOW + 10 * HOUR);
    expect(taken).toBe(600);
  });
});

test('of a schedule that was down for ten years, the last tick is found quickly', () => {
  const schedule = aSchedule({ cron: '* * * * *' });
  const later = Date.UTC(2036, 10, 27, 9, 0, 30);
  const { open } = take({ schedule, course: begin(schedule, NOW) }, later);
  // Those of the last ten minutes, and the note of those before.
  expect(open).toHaveLength(11);
  expect(open.at(-1)?.at).toBe(later - 30_000);
});

test('one that happens once is done after it, however late', () => {
  const schedule = aSchedule({ at: '2026-11-27T10:00' });
  const course = take({ schedule, course: begin(schedule, NOW) }, NOW + 40 * 24 * HOUR);
  expect(shown(course)).toEqual({ open: ['11-27T10:00'], next: undefined });
});

test('a pause takes no tick, and those of its time are noted, and not caught up', () => {
  const schedule = aSchedule(hourly, 'all');
  const paused = pause(begin(schedule, NOW));
  expect(take({ schedule, course: paused }, NOW + 5 * HOUR)).toBe(paused);
  expect(shown(resume({ schedule, course: paused }, NOW + 5 * HOUR))).toEqual({
    open: ['11-27T10:00 missed until 11-27T14:00'],
    next: '11-27T15:00',
  });
});

test('a deploy with other times loses no tick of the old ones, and takes none before it of the new ones', () => {
  const schedule = aSchedule(hourly);
  const course = begin(schedule, NOW);
  const to = aSchedule({ cron: '*/5 * * * *' });
  expect(shown(change({ schedule, course }, to, NOW + HOUR + 20_000))).toEqual({
    open: ['11-27T10:00'],
    next: '11-27T10:05',
  });
  const same = { ...schedule, message: 'other' };
  expect(shown(change({ schedule, course }, same, NOW + 20_000))).toEqual({ open: [], next: '11-27T10:00' });
  const paused = pause(course);
  expect(change({ schedule, course: paused }, to, NOW).state).toBe('paused');
});
