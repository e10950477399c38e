/** Moments that a model names for a timer or a reminder. A fault is a sentence by which the model can name another one. */

import { segments } from './segments.ts';
import { localTime, zoneNamed } from './zones.ts';

/** A moment in the words of a model: `at` or `in`. */
export interface MomentWords {
  /** `2026-11-28T09:00` by the clock of the zone, or with an offset: `2026-11-28T09:00+01:00`, `2026-11-28T08:00Z`. */
  readonly at?: string | undefined;
  /** Elapsed time: `90s`, `20m`, `6h`, `3d`, `2w`, `1h30m`. */
  readonly in?: string | undefined;
  /** IANA name; the zone of the people who ask when absent. */
  readonly zone?: string | undefined;
}

/** The time and the zones against which words are read. */
export interface MomentAround {
  /** Epoch ms. */
  readonly now: number;
  /** Zones of the people who ask, as far as they are known. */
  readonly zones: readonly string[];
}

/** A moment, and the zone in which it was meant. */
export interface Moment {
  /** Epoch ms. */
  readonly at: number;
  readonly zone: string;
}

const DAY_MS = 86_400_000;
/** The longest distance: a year. */
const MAX_MS = 366 * DAY_MS;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS } as const;

/** Throws an error with a sentence for the model if there is no such moment, or more than one. */
export function momentIn(words: MomentWords, around: MomentAround): Moment {
  const { at, in: elapsed } = words;
  if ((at === undefined) === (elapsed === undefined))
    throw new Error('Give either "at", such as 2026-11-28T09:00, or "in", such as 20m.');
  const zone = zoneIn(words, around);
  const moment =
    elapsed === undefined
      ? { at: atIn(at ?? '', zone, around.now), zone: zone ?? 'UTC' }
      : { at: around.now + elapsedIn(elapsed), zone: zone ?? 'UTC' };
  const now = `It is now ${localTime(around.now, moment.zone)} in ${moment.zone}.`;
  if (moment.at <= around.now) throw new Error(`${at ?? elapsed} is in the past. ${now} Give a later time.`);
  if (moment.at - around.now > MAX_MS)
    throw new Error(
      `${at ?? elapsed} is more than 366 days away, which is the most. ${now} Give an earlier time.`,
    );
  return moment;
}

/** The zone by whose clock a time is meant. Undefined if it is not known. */
function zoneIn({ zone }: MomentWords, { zones }: MomentAround): string | undefined {
  if (zone === undefined) {
    const known = [...new Set(zones)];
    return known.length === 1 ? known[0] : undefined;
  }
  const named = zoneNamed(zone);
  if (named === undefined)
    throw new Error(
      `${zone} is no time zone. Give an IANA name such as Europe/Berlin, or a time with its offset.`,
    );
  return named;
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

function atIn(text: string, zone: string | undefined, now: number): number {
  const [, day = '', minute = '', second = '00', offset] = TIME.exec(text.trim()) ?? [];
  const wall = Date.parse(`${day}T${minute}:${second}Z`);
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== day)
    throw new Error(
      `${text} is no time. Give a day of the calendar and a time, such as ${localTime(now + DAY_MS, zone ?? 'UTC')}.`,
    );
  if (offset !== undefined) return Date.parse(`${day}T${minute}:${second}${withColon(offset)}`);
  if (zone === undefined)
    throw new Error(
      'The time zone is not known. Give "zone", such as Europe/Berlin; if you do not know where the person is, ask.',
    );
  return momentOnClock(wall, zone, text.trim());
}

const withColon = (offset: string): string =>
  offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();

/** The one moment at which the clock of a zone shows a time. */
function momentOnClock(wall: number, zone: string, text: string): number {
  const around = [...segments(wall - DAY_MS, wall + DAY_MS, zone)];
  const [first, second] = around.filter(
    ({ from, to, offset }) => wall - offset >= from && wall - offset < to,
  );
  if (first && second) {
    const [one, two] = [first, second].map(({ offset }) => `${shown(wall)}${offsetText(offset)}`);
    throw new Error(
      `${text} comes twice in ${zone}, because clocks are set back. Give ${one} for the first time, or ${two} for the second.`,
    );
  }
  if (first) return wall - first.offset;
  const gap = around.find(({ from, before, offset }) => wall >= from + before && wall < from + offset);
  const after = gap && shown(gap.from + gap.offset);
  throw new Error(
    `${text} does not exist in ${zone}, because clocks are set forward. Give ${after ?? 'another time'}, or a later time.`,
  );
}

/** `2026-11-28T09:00` */
const shown = (wall: number): string => new Date(wall).toISOString().slice(0, 16);

/** `+05:30` */
function offsetText(ms: number): string {
  const minutes = Math.abs(ms) / 60_000;
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `${ms < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function elapsedIn(text: string): number {
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([smhdw])[a-z]*/g)];
  const isAll =
    parts.length > 0 &&
    parts.map(([part]) => part).join('') ===
      text
        .toLowerCase()
        .replaceAll(/(?<=[a-z])\s+(?=\d)/g, '')
        .trim();
  if (!isAll)
    throw new Error(`${text} is no time span. Give a number and a unit: 90s, 20m, 6h, 3d, 2w, or 1h30m.`);
  return parts.reduce(
    (sum, [, n, unit]) => sum + Math.round(Number(n) * UNIT_MS[unit as keyof typeof UNIT_MS]),
    0,
  );
}
