import { expect, test } from 'vitest';
import { faultOf, nextTick } from '../../../shared/agent/schedules/when.ts';
import { When } from '../../../shared/contract/schedules.ts';

const NOW = Date.UTC(2026, 10, 27, 6);
const ticks = (when: When, zone: string, count: number, anchor = NOW): string[] => {
  const found: string[] = [];
  for (let at = nextTick({ when, zone, anchor }, NOW); at !== undefined && found.length < count; )
    [at] = [nextTick({ when, zone, anchor }, at), found.push(new Date(at).toISOString().slice(0, 16))];
  return found;
};

test.each([
  [
    { cron: '30 8 * * MON-FRI' },
    'Europe/Berlin',
    ['2026-11-27T07:30', '2026-11-30T07:30', '2026-12-01T07:30'],
  ],
  [{ cron: '0 9 L * *' }, 'Asia/Tokyo', ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-31T00:00']],
  [{ cron: '0 9 * * FRI#2' }, 'UTC', ['2026-12-11T09:00', '2027-01-08T09:00', '2027-02-12T09:00']],
  [{ cron: '0 9 15W * *' }, 'UTC', ['2026-12-15T09:00', '2027-01-15T09:00', '2027-02-15T09:00']],
  [{ cron: '0 0 29 2 *' }, 'America/New_York', ['2028-02-29T05:00', '2032-02-29T05:00', '2036-02-29T05:00']],
  [{ every: '90m' }, 'UTC', ['2026-11-27T07:30', '2026-11-27T09:00', '2026-11-27T10:30']],
  [{ every: '1d' }, 'Europe/Berlin', ['2026-11-28T06:00', '2026-11-29T06:00', '2026-11-30T06:00']],
  [{ at: '2026-12-24T09:00' }, 'Pacific/Auckland', ['2026-12-23T20:00']],
  [{ at: '2026-12-24T09:00:30+01:00' }, 'UTC', ['2026-12-24T08:00']],
  // Skipped by the clock: right after the gap. Shown twice: the first time.
  [{ at: '2027-03-28T02:30' }, 'Europe/Berlin', ['2027-03-28T01:00']],
  [{ at: '2027-10-31T02:30' }, 'Europe/Berlin', ['2027-10-31T00:30']],
] satisfies [When, string, string[]][])('%j in %s', (when, zone, expected) => {
  expect(When.parse(when)).toEqual(when);
  expect(ticks(when, zone, expected.length)).toEqual(expected);
  expect(faultOf(when, zone, NOW)).toBeUndefined();
});

test('equal distances are of elapsed time, from the anchor, over a change of the clock', () => {
  const [first = '', second = ''] = ticks({ every: '1d' }, 'Europe/Berlin', 2, Date.UTC(2027, 2, 27, 8));
  expect([first, second]).toEqual(['2027-03-28T08:00', '2027-03-29T08:00']);
});

test.each([
  [{ cron: '0 0 30 2 *' }, 'never due'],
  [{ cron: '61 * * * *' }, 'minute'],
  [{ cron: '* * * * * *' }, 'write five fields'],
  [{ cron: '@daily    ' }, 'write five fields'],
  [{ cron: '? * * * *' }, 'write five fields'],
  [{ cron: '*/0 * * * *' }, 'stepping'],
  [{ cron: '0 9 * * 5#6' }, 'nth weekday'],
  [{ cron: '0 9 * * <b>' }, 'write five fields'],
  [{ every: '367d' }, 'at most 366d'],
  [{ at: '2026-02-31T09:00' }, 'there is no 2026-02-31'],
  [{ at: '2026-13-01T09:00' }, 'there is no'],
  [{ at: '2026-12-01T25:00' }, 'there is no'],
  [{ at: '2026-11-27T05:59' }, 'in the past'],
] satisfies [When, string][])('refuses %j', (when, says) => {
  expect(faultOf(when, 'UTC', NOW)).toContain(says);
});

test.each(['Europe/Atlantis', '+05:30', '', 'UTC; drop'])('refuses the zone %j', (zone) => {
  expect(faultOf({ every: '1h' }, zone, NOW)).toContain('time zone');
});

test.each([
  [{}],
  [{ cron: '0 9 * * *', every: '1h' }],
  [{ every: '0m' }],
  [{ every: '1.5h' }],
  [{ every: '10s' }],
  [{ at: 'tomorrow' }],
  [{ at: '2026-12-24' }],
  [{ cron: 'x'.repeat(121) }],
])('no time is %j', (when) => {
  expect(When.safeParse(when).success).toBe(false);
});

test('a pattern that is hardly ever due is found quickly', () => {
  const at = nextTick({ when: { cron: '0 9 29 2 +MON' }, zone: 'America/New_York', anchor: NOW }, NOW);
  expect(at && new Date(at).toISOString()).toBe('2044-02-29T14:00:00.000Z');
});
