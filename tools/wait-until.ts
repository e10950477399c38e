import * as z from 'zod';
import { defineTool } from '../shared/agent/define/tool.ts';
import { momentIn } from '../shared/agent/schedules/moments.ts';
import { argumentsOf } from './plain/arguments.ts';
import { zonesOf } from './plain/zones-of.ts';

/** Most characters of a reason. */
const MAX_REASON = 200;

/**
 * `wait_until`: the run rests without compute until a moment, a second to a year away, or until something comes in for the session.
 * The model is told what has ended the wait, and how late it is (docs/timers.md).
 */
export const waitUntil = defineTool({
  name: 'wait_until',
  description:
    'Wait until a time, or for a time span, before you go on with what you are doing: for a build, a delivery, opening hours. Waiting costs nothing. It ends early when a message comes in. Give "in" when the person says how long, and "at" when they say when.',
  effect: 'read',
  poll: true,
  approval: 'never',
  input: argumentsOf(
    {
      at: z
        .string()
        .max(40)
        .optional()
        .describe(
          '2026-11-28T09:00 by the clock of the person who asks, or with an offset: 2026-11-28T09:00+01:00.',
        ),
      in: z.string().max(40).optional().describe('A time span: 90s, 20m, 6h, 3d, 2w or 1h30m.'),
      zone: z
        .string()
        .max(64)
        .optional()
        .describe(
          'The IANA time zone of "at", such as Europe/Berlin, if it is not that of the person who asks.',
        ),
      reason: z
        .string()
        .trim()
        .min(1)
        .max(MAX_REASON)
        .optional()
        .describe('What you wait for; people see it.'),
    },
    {
      at: ['until', 'time', 'datetime', 'date'],
      in: ['duration', 'delay', 'for'],
      zone: ['timezone', 'time_zone', 'tz'],
      reason: ['why', 'note', 'message'],
    },
  ),
  run: ({ reason, ...words }, context) => {
    const { at, zone } = momentIn(words, { now: context.now(), zones: zonesOf(context) });
    return context.sleepUntil(at, { zone, ...(reason !== undefined && { reason }) });
  },
});
