import * as z from 'zod';
import { defineTool } from '../shared/agent/define/tool.ts';
import { momentText } from '../shared/agent/plain/moment-text.ts';
import { momentIn } from '../shared/agent/plain/moments.ts';
import { argumentsOf } from './plain/arguments.ts';
import { zonesOf } from './plain/zones-of.ts';

/** Most characters of a goal, and of its name in lists. */
const MAX_ABOUT = 2_000;
const MAX_NAME = 60;
/** USD that the looks at a goal may cost if the model names no limit. */
const DEFAULT_USD = 5;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Looks at a goal are at least this far apart, in ms: each is a run. */
const LEAST_APART_MS = 15 * UNIT_MS.m;

const about = (what: string) => z.string().trim().min(1).max(MAX_ABOUT).describe(what);
const words = (most: number, what: string) => z.string().trim().min(1).max(most).optional().describe(what);

const every = z
  .string()
  .regex(/^[1-9]\d{0,5}[mhd]$/, 'must be like 30m, 6h or 1d')
  .refine((text) => distance(text) >= LEAST_APART_MS, 'must be 15m or more: each look costs a run');

const distance = (text: string): number =>
  Number(text.slice(0, -1)) * UNIT_MS[text.slice(-1) as keyof typeof UNIT_MS];

/** `pursue_goal`: the agent looks at a goal again and again until it is met, its time is over, or its budget is spent (docs/timers.md). */
export const pursueGoal = defineTool({
  name: 'pursue_goal',
  description:
    'Take on a goal that takes time: you get it as a message in this conversation at equal distances, look whether it is met, and do what helps. It ends when you close it with "goals", or at its end. Use it for what must be watched or pushed for hours or days, and "follow_up" for one look.',
  effect: 'idempotent',
  input: argumentsOf(
    {
      goal: about('The result to be reached, and the people it is for.'),
      check: about('How you can tell that it is met: a question with yes or no, and where to look.'),
      every: every.describe('The time between two looks: 30m, 6h or 1d. At least 15m.'),
      in: words(40, 'How long to pursue it: 6h, 3d or 2w. At most a year.'),
      until: words(40, 'Or the time at which it ends: 2026-11-28T09:00 by the clock of the person who asks.'),
      zone: words(64, 'The IANA time zone of "until", if it is not that of the person who asks.'),
      usd: z.coerce
        .number()
        .positive()
        .max(10_000)
        .default(DEFAULT_USD)
        .describe(`The most that the looks may cost, in USD: ${DEFAULT_USD} if absent.`),
    },
    { in: ['for', 'duration'], until: ['at', 'deadline'], check: ['test', 'done_when'], usd: ['budget'] },
  ),
  run: async ({ goal, check, every: apart, in: elapsed, until, zone, usd }, context) => {
    const now = context.now();
    const end = momentIn({ at: until, in: elapsed, zone }, { now, zones: zonesOf(context) });
    if (end.at - now < distance(apart))
      throw new Error('The goal ends before its first look. Give it more time, or look more often.');
    const ends = momentText(end.at, end.zone);
    const set = await context.services.reminders.set({
      ...end,
      name: `Goal: ${goal}`.slice(0, MAX_NAME).toWellFormed(),
      text: [
        `You took on this goal on ${momentText(now, end.zone)}: ${goal}`,
        `It is met if: ${check}`,
        'Look now, and do what helps. If it is met, or cannot be met any more, close it with the tool goals, and tell the people. If not, end your turn without a report, unless they should know something.',
        `It ends on ${ends}. From then on no further look comes: close it, and tell the people how far it is.`,
      ].join('\n'),
      again: { every: apart, until: end.at, usd },
    });
    return `Taken on: you look every ${apart}, until ${ends} or until the looks have cost $${usd}. Its id is ${set.id}.`;
  },
});

/** `goals`: lists the goals of this session, and closes one. */
export const goals = defineTool({
  name: 'goals',
  description:
    'List the goals that you pursue in this conversation, or close one by its id, with how it ended.',
  effect: 'idempotent',
  input: argumentsOf(
    {
      close: words(64, 'The id of the one to close.'),
      outcome: z.enum(['met', 'given_up']).optional().describe('How it ended; with "close".'),
    },
    { close: ['id', 'cancel', 'remove'], outcome: ['state', 'status', 'result'] },
  ),
  run: async ({ close, outcome }, { services }) => {
    const before = (await services.reminders.list()).filter(({ again }) => again);
    const closed = before.find(({ id }) => id === close);
    if (closed) await services.reminders.cancel(closed.id);
    const lines = before
      .filter((one) => one !== closed)
      .map(
        ({ id, at, zone, name, again }) =>
          `- ${name} (${id}): every ${again?.every}, next on ${momentText(at, zone)}, until ${momentText(again?.until ?? at, zone)}`,
      );
    const left = lines.length > 0 ? lines.join('\n') : 'No goals are open.';
    if (close === undefined) return left;
    if (!closed) return `There is no open goal ${close}: it may have ended already.\n${left}`;
    return `${closed.name} is closed${outcome === undefined ? '' : `: ${outcome.replace('_', ' ')}`}.\n${left}`;
  },
});

/** `pursue_goal` and `goals`. */
export const goalTools = () => [pursueGoal, goals];
