import * as z from 'zod';
import type { ToolContext } from '../shared/agent/define/index.ts';
import { defineTool } from '../shared/agent/define/tool.ts';
import { momentText } from '../shared/agent/plain/moment-text.ts';
import { momentIn } from '../shared/agent/plain/moments.ts';
import { argumentsOf } from './plain/arguments.ts';
import { momentAliases, momentArguments } from './plain/moment-arguments.ts';
import { zonesOf } from './plain/zones-of.ts';

/** Most characters of what a reminder is about, and of its name in lists. */
const MAX_ABOUT = 2_000;
const MAX_NAME = 60;

const about = () => z.string().trim().min(1).max(MAX_ABOUT);

type Asked = { at?: string | undefined; in?: string | undefined; zone?: string | undefined };

/** Sets a reminder, and says when it comes, with the day of the week. */
async function set(
  { at, in: elapsed, zone }: Asked,
  name: string,
  textFor: (now: string) => string,
  context: ToolContext,
): Promise<string> {
  const now = context.now();
  const moment = momentIn({ at, in: elapsed, zone }, { now, zones: zonesOf(context) });
  const text = textFor(momentText(now, moment.zone));
  const stored = await context.services.reminders.set({
    ...moment,
    text,
    name: name.slice(0, MAX_NAME).toWellFormed(),
  });
  return `Set for ${momentText(stored.at, stored.zone)}. Its id is ${stored.id}.`;
}

/** `remind`: people of this conversation are told something at a moment. The run ends meanwhile (docs/timers.md). */
export const remind = defineTool({
  name: 'remind',
  description:
    'Set a reminder: at that time you get the text as a message in this conversation, and tell the people. Use it when someone asks to be reminded. Give "in" when the person says how long, and "at" when they say when.',
  effect: 'idempotent',
  input: argumentsOf(
    { ...momentArguments, text: about().describe('The subject of the reminder, and the person to remind.') },
    { ...momentAliases, text: ['message', 'about', 'what', 'note'] },
  ),
  run: ({ text, ...when }, context) =>
    set(
      when,
      `Reminder: ${text}`,
      (now) => `You set this reminder on ${now}. Tell the people here now:\n${text}`,
      context,
    ),
});

/** `follow_up`: the agent itself looks again at a moment whether something is done. */
export const followUp = defineTool({
  name: 'follow_up',
  description:
    'Plan to come back to something yourself: at that time you get the text as a message in this conversation, and check. Use it when something should be done by then and may not be.',
  effect: 'idempotent',
  input: argumentsOf(
    {
      ...momentArguments,
      text: about().describe('The thing to check, and the next action if it is not done.'),
    },
    { ...momentAliases, text: ['message', 'about', 'what', 'check', 'note'] },
  ),
  run: ({ text, ...when }, context) =>
    set(
      when,
      `Follow-up: ${text}`,
      (now) =>
        `You planned this on ${now}. Check it now, say what you found, and plan another look only if it is still needed:\n${text}`,
      context,
    ),
});

/** `reminders`: lists reminders and follow-ups of this session, and cancels one. */
export const reminders = defineTool({
  name: 'reminders',
  description:
    'List the reminders and follow-ups of this conversation that are still to come, or cancel one by its id.',
  effect: 'idempotent',
  input: argumentsOf(
    { cancel: z.string().max(64).optional().describe('The id of the one to cancel.') },
    { cancel: ['id', 'delete', 'remove'] },
  ),
  run: async ({ cancel }, { services }) => {
    const found = cancel === undefined || (await services.reminders.cancel(cancel));
    const list = (await services.reminders.list()).filter(({ again }) => !again);
    const lines = list.map(({ id, at, zone, name }) => `- ${momentText(at, zone)}: ${name} (${id})`);
    const said = lines.length > 0 ? lines.join('\n') : 'No reminders are to come.';
    if (cancel === undefined) return said;
    return `${found ? `${cancel} is cancelled.` : `There is no ${cancel}: it may have come already.`}\n${said}`;
  },
});

/** `remind`, `follow_up` and `reminders`. */
export const reminderTools = () => [remind, followUp, reminders];
