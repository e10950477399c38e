import { describe, expect, test } from 'vitest';
import { type MomentWords, momentIn } from '../../../shared/agent/plain/moments.ts';

const now = Date.parse('2026-11-27T22:20:00Z');
const read = (words: MomentWords, zones = ['Europe/Berlin'], at = now) => momentIn(words, { now: at, zones });
const iso = (...of: Parameters<typeof read>) => new Date(read(...of).at).toISOString();

describe('a moment', () => {
  test.each<[MomentWords, string]>([
    [{ at: '2026-11-28T09:00' }, '2026-11-28T08:00:00.000Z'],
    [{ at: '2026-11-28 09:00:30' }, '2026-11-28T08:00:30.000Z'],
    [{ at: '2026-11-28T09:00', zone: 'Pacific/Auckland' }, '2026-11-27T20:00:00.000Z'],
    [{ at: '2026-11-28T09:00Z' }, '2026-11-28T09:00:00.000Z'],
    [{ at: '2026-11-28T09:00+05:30' }, '2026-11-28T03:30:00.000Z'],
    [{ at: '2026-11-28T09:00-0800' }, '2026-11-28T17:00:00.000Z'],
    [{ at: '2027-07-01T09:00' }, '2027-07-01T07:00:00.000Z'],
    [{ in: '90s' }, '2026-11-27T22:21:30.000Z'],
    [{ in: '20 minutes' }, '2026-11-27T22:40:00.000Z'],
    [{ in: '1h30m' }, '2026-11-27T23:50:00.000Z'],
    [{ in: '1 hour 30 min' }, '2026-11-27T23:50:00.000Z'],
    [{ in: '1.5h' }, '2026-11-27T23:50:00.000Z'],
    [{ in: '2w' }, '2026-12-11T22:20:00.000Z'],
    [{ in: '366d' }, '2027-11-28T22:20:00.000Z'],
  ])('%j', (words, expected) => {
    const auckland = words.zone === 'Pacific/Auckland' ? Date.parse('2026-11-27T10:00Z') : now;
    expect(iso(words, ['Europe/Berlin'], auckland)).toBe(expected);
  });

  test('is by the clock of its people, unless another zone is named', () => {
    expect(read({ in: '1h' })).toMatchObject({ zone: 'Europe/Berlin' });
    expect(read({ in: '1h', zone: 'Asia/Tokyo' })).toMatchObject({ zone: 'Asia/Tokyo' });
    expect(read({ in: '1h' }, [])).toMatchObject({ zone: 'UTC' });
  });

  test.each<[string, MomentWords, RegExp, string[]?]>([
    ['neither', {}, /^Give either "at", such as .*, or "in"/],
    ['both', { at: '2026-11-28T09:00', in: '1h' }, /^Give either/],
    [
      'in the past',
      { at: '2026-11-27T23:19' },
      /is in the past\. It is now 2026-11-27T23:20 in Europe\/Berlin\./,
    ],
    ['no time at all', { in: '0s' }, /is in the past/],
    ['too far', { in: '367d' }, /more than 366 days away/],
    ['far too far', { at: '9999-01-01T00:00' }, /more than 366 days away/],
    ['no zone', { at: '2026-11-28T09:00', zone: 'Berlin' }, /^Berlin is no time zone\. Give an IANA name/],
    ['an offset as a zone', { at: '2026-11-28T09:00', zone: '+01:00' }, /is no time zone/],
    ['an unknown person', { at: '2026-11-28T09:00' }, /^The time zone is not known\./, []],
    ['people apart', { at: '2026-11-28T09:00' }, /^The time zone/, ['Europe/Berlin', 'Asia/Tokyo']],
    [
      'no such day',
      { at: '2027-02-30T09:00' },
      /is no time\. Give a day of the calendar and a time, such as 2026-11-28T23:20/,
    ],
    ['no such hour', { at: '2026-11-28T25:00' }, /is no time/],
    ['words', { at: 'tomorrow at nine' }, /^tomorrow at nine is no time/],
    ['a day alone', { at: '2026-11-28' }, /is no time/],
    ['no span', { in: 'soon' }, /^soon is no time span\. Give a number and a unit/],
    ['a span with more', { in: '5m please' }, /is no time span/],
    [
      'skipped by the clock',
      { at: '2027-03-28T02:30' },
      /does not exist in Europe\/Berlin, because clocks are set forward\. Give 2027-03-28T03:00, or a later time\./,
    ],
    [
      'twice on the clock',
      { at: '2027-10-31T02:30' },
      /comes twice in Europe\/Berlin, .*Give 2027-10-31T02:30\+02:00 for the first time, or 2027-10-31T02:30\+01:00 for the second\./,
    ],
  ])('%s is refused with a way out', (_what, words, why, zones) => {
    expect(() => read(words, zones)).toThrow(why);
  });
});
