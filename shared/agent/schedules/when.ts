/** When a schedule is due. */

import type { When } from '../../contract/schedules.ts';
import { momentOf } from '../plain/segments.ts';
import { zoneNamed } from '../plain/zones.ts';
import { nextOfCalendar } from './calendar.ts';

/** The times of a schedule. */
export interface Timing {
  readonly when: When;
  /** IANA name. */
  readonly zone: string;
  /** Epoch ms from which `every` is counted. */
  readonly anchor: number;
  /** Epoch ms of the last tick of `every`, which is due at that moment whatever the distance. */
  readonly until?: number;
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_EVERY_MS = 366 * UNIT_MS.d;

/** The distance of two ticks, in ms. */
export const distanceOf = (every: string): number =>
  Number(every.slice(0, -1)) * UNIT_MS[every.slice(-1) as keyof typeof UNIT_MS];

/** The first tick after a moment, as epoch ms; undefined if there is none. @param timing one without faults ({@link faultOf}) */
export function nextTick(
  { when, zone, anchor, until = Infinity }: Timing,
  after: number,
): number | undefined {
  if ('cron' in when) return nextOfCalendar(when.cron, zone, after);
  if ('at' in when) {
    const at = momentAt(when.at, zone);
    return at > after ? at : undefined;
  }
  const every = distanceOf(when.every);
  const next = anchor + Math.max(1, Math.floor((after - anchor) / every) + 1) * every;
  return after < until ? Math.min(next, until) : undefined;
}

/** The moment of a time with an offset, or of one by the clock of the zone. NaN if there is no such day or time. */
function momentAt(text: string, zone: string): number {
  if (/(Z|[+-]\d\d:\d\d)$/.test(text)) return isOnCalendar(text) ? Date.parse(text) : Number.NaN;
  return isOnCalendar(text) ? momentOf(Date.parse(`${text}Z`), zone) : Number.NaN;
}

/** `Date` takes 31 February for 3 March. */
function isOnCalendar(text: string): boolean {
  const shown = text.slice(0, 16);
  const parsed = Date.parse(`${shown}Z`);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(shown);
}

/** Why a schedule cannot have these times, as a sentence that says what to do; undefined if it can. @param now epoch ms */
export function faultOf(when: When, zone: string, now: number): string | undefined {
  if (!zoneNamed(zone)) return `zone: ${zone} is no time zone; use an IANA name such as Pacific/Auckland`;
  if ('every' in when && distanceOf(when.every) > MAX_EVERY_MS) return 'when.every: use at most 366d';
  if ('at' in when && Number.isNaN(momentAt(when.at, zone)))
    return `when.at: there is no ${when.at}; use a day and a time of the calendar`;
  try {
    if (nextTick({ when, zone, anchor: now }, now) !== undefined) return undefined;
  } catch (error) {
    return `when.cron: ${error instanceof Error ? error.message : 'it cannot be read'}`;
  }
  return 'at' in when
    ? `when.at: ${when.at} is in the past; use a later time`
    : 'when.cron: it is never due; use days that exist';
}
