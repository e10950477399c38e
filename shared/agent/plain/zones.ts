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
    return clockOf(name).resolvedOptions().timeZone === 'UTC' ? 'UTC' : name;
  } catch {
    return undefined;
  }
}

/** Creating a formatter takes about 0.1 ms. */
const clocks = recent<Intl.DateTimeFormat>(50);

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** A moment as clocks in a zone show it: `2026-11-27T00:30`. Falls back to UTC if this runtime does not know the zone. */
export function localTime(at: number, zone: string): string {
  const parts = Object.fromEntries(
    clockOf(zoneNamed(zone) ?? 'UTC')
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const { year = '', month, day, hour, minute } = parts;
  return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}`;
}

/** The time that a zone's clock shows at a moment, as epoch ms of the same time in UTC, to the minute. */
export const wallAt = (at: number, zone: string): number => Date.parse(`${localTime(at, zone)}Z`);
