import { recent } from './recent.ts';

/** Longest accepted name of a time zone: the longest of IANA has 32 characters. */
const MAX_ZONE = 64;

/**
 * The name of a time zone as it is stored; undefined if it is not an IANA name that this runtime knows. Offsets (`+05:30`) are
 * not accepted.
 */
export function zoneNamed(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.length > MAX_ZONE || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name))
    return undefined;
  try {
    return clockOf(name).zone;
  } catch {
    return undefined;
  }
}

/** A formatter, and the name of its zone as it is stored. */
interface ZoneClock {
  readonly zone: string;
  readonly format: Intl.DateTimeFormat;
}

/** Creating a formatter takes about 0.1 ms, and reading the zone of one as long as formatting a moment. */
const clocks = recent<ZoneClock>(50);

function clockOf(timeZone: string): ZoneClock {
  const known = clocks.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const clock = { zone: format.resolvedOptions().timeZone === 'UTC' ? 'UTC' : timeZone, format };
  clocks.set(timeZone, clock);
  return clock;
}

/** A moment as clocks in a zone show it: `2026-11-27T00:30`. Falls back to UTC if this runtime does not know the zone. */
export function localTime(at: number, zone: string): string {
  const shown = clockOf(zoneNamed(zone) ?? 'UTC').format.format(at);
  // `11/27/2026, 00:30`. Formatting to parts takes three times as long.
  const [month, day, year = '', hour, minute] = shown.match(/\d+/g) ?? [];
  return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}`;
}

/** The time that a zone's clock shows at a moment, as epoch ms of the same time in UTC, to the minute. */
export const wallAt = (at: number, zone: string): number => Date.parse(`${localTime(at, zone)}Z`);
