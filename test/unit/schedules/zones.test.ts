import { describe, expect, test } from 'vitest';
import { nextOfCalendar } from '../../../shared/agent/schedules/calendar.ts';

/**
 * Zones with every kind of clock change that there is: at midnight (Cairo, Santiago, Havana), before it (Nuuk), by half an hour (Lord
 * Howe), by two hours (Troll), around a month of fasting (Casablanca), given up meanwhile (São Paulo, Tehran), and none.
 */
const zones = [
  'America/New_York',
  'America/Sao_Paulo',
  'America/Santiago',
  'America/Havana',
  'America/Nuuk',
  'Europe/Berlin',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Tehran',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Antarctica/Troll',
];
const patterns = [
  '30 2 * * *',
  '0 0 * * *',
  '59 23 * * *',
  '15 1 * * 0',
  '0,30 0,1,2,23 * * *',
  '10 0-23 * * *',
  '*/30 * * * *',
  '*/20 2 * * *',
  '0 */2 * * *',
  '5 * * * *',
  '0 0 1 * *',
  '45 2 * * 1-5',
];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FROM = Date.UTC(2016, 0, 1);
const TO = Date.UTC(2036, 0, 1);

/** The clock of a zone in the plainest way, apart from the code under test. */
function clock(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
}

interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

function changesOf(zone: string): Change[] {
  const shown = clock(zone);
  const offset = (at: number) => shown(at) - at;
  const changes: Change[] = [];
  let before = offset(FROM);
  for (let at = FROM; at < TO; at += 12 * HOUR) {
    const after = offset(at + 12 * HOUR);
    if (after !== before) {
      let hour = at + HOUR;
      while (offset(hour) === before) hour += HOUR;
      let minute = hour - HOUR + MINUTE;
      while (offset(minute) === before) minute += MINUTE;
      changes.push({ at: minute, before, after: offset(minute) });
    }
    before = after;
  }
  return changes;
}

function numbersOf(field: string, low: number, high: number): Set<number> {
  const numbers = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from, to] = range === '*' ? [low, high] : range.split('-').map(Number);
    for (let n = from ?? 0; n <= (to ?? from ?? 0); n += Number(step)) numbers.add(n);
  }
  return numbers;
}

/** The fields that a wall clock shows. Each pattern asks for those of the same minutes. */
function fieldsOf(wall: number): readonly number[] {
  const known = fields.get(wall);
  if (known) return known;
  const date = new Date(wall);
  const shown = [
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth() + 1,
    date.getUTCDay(),
  ];
  fields.set(wall, shown);
  return shown;
}
const fields = new Map<number, readonly number[]>();

/** The ticks around a change, minute by minute, by the rules that docs/schedules.md states. */
function expected(pattern: string, { at, before, after }: Change, from: number, to: number): number[] {
  const [m = '', h = '', d = '', month = '', w = ''] = pattern.split(' ');
  const named = [
    numbersOf(m, 0, 59),
    numbersOf(h, 0, 23),
    numbersOf(d, 1, 31),
    numbersOf(month, 1, 12),
    numbersOf(w, 0, 6),
  ];
  const names = (wall: number) => fieldsOf(wall).every((n, i) => named[i]?.has(n));
  const isFixed = !/[*/]/.test(m + h);
  const ticks = new Set<number>();
  for (let minute = from + MINUTE; minute < to; minute += MINUTE) {
    if (minute === at && isFixed)
      for (let wall = at + before; wall < at + after; wall += MINUTE) if (names(wall)) ticks.add(at);
    const wall = minute + (minute < at ? before : after);
    const isRepeated = minute >= at && wall < at + before;
    if (names(wall) && !(isFixed && isRepeated)) ticks.add(minute);
  }
  return [...ticks].sort((a, b) => a - b);
}

function found(pattern: string, zone: string, from: number, to: number): number[] {
  const ticks: number[] = [];
  for (let at: number | undefined = from; ; ) {
    at = nextOfCalendar(pattern, zone, at);
    if (at === undefined || at >= to) return ticks;
    ticks.push(at);
  }
}

describe('ticks around every change of the clock in twenty years', () => {
  test.each(zones)('%s', (zone) => {
    const changes = changesOf(zone);
    if (zone !== 'Asia/Kolkata') expect(changes.length).toBeGreaterThan(5);
    for (const change of changes.length > 0 ? changes : [{ at: FROM, before: 5.5 * HOUR, after: 5.5 * HOUR }])
      for (const pattern of patterns) {
        const from = change.at - 5 * HOUR;
        const to = change.at + 5 * HOUR;
        const iso = (ticks: number[]) => ticks.map((at) => new Date(at).toISOString());
        expect(
          iso(found(pattern, zone, from, to)),
          `${pattern} in ${zone} around ${new Date(change.at).toISOString()}`,
        ).toEqual(iso(expected(pattern, change, from, to)));
      }
  });

  test('a daily schedule has one tick on each day of twenty years', () => {
    for (const zone of zones) {
      const days = found('30 2 * * *', zone, FROM, TO);
      const shown = clock(zone);
      const dates = new Set(days.map((at) => new Date(shown(at)).toISOString().slice(0, 10)));
      expect(days.length, zone).toBe(dates.size);
      expect(Math.abs(days.length - (TO - FROM) / (24 * HOUR)), zone).toBeLessThanOrEqual(1);
    }
  });
});
