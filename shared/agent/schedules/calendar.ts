/** The ticks of a `cron` pattern. A library reads the pattern and knows the calendar; the time zones are counted here. */

import { Cron } from 'croner';
import { recent } from '../plain/recent.ts';
import { segments } from '../plain/segments.ts';

const DAY_MS = 86_400_000;

/** Years that are looked ahead for a tick: 29 February on a given weekday comes at least every 40 years. */
const HORIZON_MS = 41 * 366 * DAY_MS;

/** A change of more than this is no summer time: the day that Samoa has left out in 2011 had no ticks. */
const MAX_GAP_MS = 3 * 3_600_000;

/** A pattern that was read. */
interface Pattern {
  /** The first minute after `wall` that it names, on a clock that is never changed; undefined if there is none. */
  next(wall: number): number | undefined;
  /** Whether minute and hour are given as numbers alone. Then it is due once for each, even where clocks are changed. */
  readonly isFixed: boolean;
}

const patterns = recent<Pattern>(200);

/** Five fields of letters, digits and the signs of patterns, one space apart. `?` has different meanings in different systems. */
const FIELDS = /^[\dA-Za-z*,/#+-]+( [\dA-Za-z*,/#+-]+){4}$/;

/** Reads a pattern. Throws with a sentence if it is not one. */
function patternOf(cron: string): Pattern {
  const known = patterns.get(cron);
  if (known) return known;
  const fields = cron.trim().replace(/\s+/g, ' ');
  if (!FIELDS.test(fields))
    throw new Error('write five fields: minute, hour, day of the month, month, day of the week');
  const calendar = readPattern(fields);
  const [minute = '', hour = ''] = fields.split(' ');
  const pattern: Pattern = {
    next: (wall) => calendar.nextRun(new Date(wall))?.getTime(),
    isFixed: !/[*/]/.test(minute + hour),
  };
  patterns.set(cron, pattern);
  return pattern;
}

function readPattern(fields: string): Cron {
  try {
    return new Cron(fields, { mode: '5-part', utcOffset: 0, paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'it cannot be read';
    throw new Error(why);
  }
}

/**
 * The first tick of a pattern after a moment, as epoch ms; undefined if there is none. Where clocks skip a time, a fixed one is
 * due right after the gap; where they show it twice, at the first. Throws with a sentence if the pattern cannot be read.
 */
export function nextOfCalendar(cron: string, zone: string, after: number): number | undefined {
  const { next, isFixed } = patternOf(cron);
  for (const { from, to, offset, before } of segments(after, after + HORIZON_MS, zone)) {
    const gap = offset - before;
    const isGap = gap > 0 && gap <= MAX_GAP_MS && from > after;
    const skipped = isFixed && isGap ? next(from + before - 1) : undefined;
    if (skipped !== undefined && skipped < from + offset) return from;
    // Times that the clock has shown before are not due again.
    const shown = isFixed ? Math.max(offset, before) : offset;
    const due = next(Math.max(after + offset, from + shown - 1));
    if (due === undefined) return undefined;
    if (due - offset < to) return due - offset;
  }
  return undefined;
}
