/** The times between two changes of a zone's offset: within each, its clock runs like every other. */

import { recent } from './recent.ts';
import { wallAt } from './zones.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A time with one offset. The clock shows `at + offset`. All in ms. */
export interface Segment {
  /** Epoch ms of its first moment. */
  readonly from: number;
  /** Epoch ms of the first moment after it. */
  readonly to: number;
  readonly offset: number;
  /** The offset before it. */
  readonly before: number;
}

/** Offsets by zone and day, because most questions are about the same few days. */
const offsets = recent<number>(5_000);

function offsetAt(at: number, zone: string): number {
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return wallAt(minute, zone) - minute;
}

/** The offset at the beginning of a UTC day. */
function offsetOfDay(day: number, zone: string): number {
  const name = `${zone} ${day}`;
  const known = offsets.get(name);
  if (known !== undefined) return known;
  const offset = offsetAt(day * DAY_MS, zone);
  offsets.set(name, offset);
  return offset;
}

/** The first minute in `(from, to]` with another offset than at `from`; they are at most a day apart, which has one change. */
function changeIn(from: number, to: number, zone: string): number {
  const offset = offsetAt(from, zone);
  let [low, high] = [from, to];
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle, zone) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** Days after which a segment is cut, so that no year is read for a tick of the next day. */
const MAX_DAYS = 8;

/** Segments from the one that holds `at`, until `until`. The first begins at most a day before `at`. Long ones are cut. */
export function* segments(at: number, until: number, zone: string): Generator<Segment> {
  // A day earlier, so that the hour that a clock repeats or skips at `at` is known.
  let day = Math.floor(at / DAY_MS) - 1;
  let from = day * DAY_MS;
  let offset = offsetOfDay(day, zone);
  let before = offset;
  for (; from < until; day++) {
    const end = (day + 1) * DAY_MS;
    const next = offsetOfDay(day + 1, zone);
    if (next === offset && end - from < MAX_DAYS * DAY_MS) continue;
    const to = next === offset ? end : changeIn(day * DAY_MS, end, zone);
    if (to > at) yield { from, to, offset, before };
    [from, before, offset] = [to, offset, next];
  }
}

/** The moment at which the clock of a zone shows this first; if it skips it, the moment after the gap. @param wall as of {@link wallAt} */
export function momentOf(wall: number, zone: string): number {
  const passing = segments(wall - DAY_MS, wall + DAY_MS, zone);
  for (const { from, to, offset } of passing) if (wall - offset < to) return Math.max(from, wall - offset);
  throw new Error(`no moment at which clocks of ${zone} show ${new Date(wall).toISOString()}`);
}
