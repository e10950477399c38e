import * as z from 'zod';
import { defineTool } from '../shared/agent/define/tool.ts';
import { momentIn } from '../shared/agent/plain/moments.ts';
import { argumentsOf } from './plain/arguments.ts';
import { momentAliases, momentArguments } from './plain/moment-arguments.ts';
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
      ...momentArguments,
      reason: z
        .string()
        .trim()
        .min(1)
        .max(MAX_REASON)
        .optional()
        .describe('The reason for the wait; people see it.'),
    },
    { ...momentAliases, reason: ['why', 'note', 'message'] },
  ),
  run: ({ reason, ...words }, context) => {
    const { at, zone } = momentIn(words, { now: context.now(), zones: zonesOf(context) });
    return context.sleepUntil(at, { zone, ...(reason !== undefined && { reason }) });
  },
});
