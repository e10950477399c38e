import * as z from 'zod';

const words = (most: number) => z.string().trim().min(1).max(most).optional();

/** The arguments by which a model names a moment (`shared/agent/plain/moments.ts`). */
export const momentArguments = {
  at: words(40).describe(
    '2026-11-28T09:00 by the clock of the person who asks, or with an offset: 2026-11-28T09:00+01:00.',
  ),
  in: words(40).describe('A time span: 90s, 20m, 6h, 3d, 2w or 1h30m.'),
  zone: words(64).describe(
    'The IANA time zone of "at", such as Europe/Berlin, if it is not that of the person who asks.',
  ),
};

/** Other names that models give them. */
export const momentAliases = {
  at: ['until', 'when', 'time', 'datetime', 'date'],
  in: ['duration', 'delay', 'after', 'for'],
  zone: ['timezone', 'time_zone', 'tz'],
};
