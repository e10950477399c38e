/** The messages that the model does not write: status, questions, help. Block Kit, as plain data. */

import { optionsIn } from '../contract/form/options.ts';
import { formIn } from '../contract/form/read.ts';
import type { Target } from './api.ts';
import { isQuestion } from './asks.ts';
import { buttonValue } from './button-value.ts';
import { CHOICE, changesIn, choiceOf } from './choice.ts';
import { escapeMrkdwn } from './escape.ts';
import { actions, button, clipped, context, count, type Section, section } from './kit.ts';
import { optionButtons } from './options.ts';
import type { Block, Outgoing } from './outgoing.ts';
import { isDirect } from './place.ts';
import type { Ask, Story } from './story.ts';

/** Names of the buttons, by which a click is recognized. */
export const action = {
  stop: 'steploop.stop',
  approve: 'steploop.approve',
  approveChosen: 'steploop.approve_chosen',
  approveRun: 'steploop.approve_run',
  approveSession: 'steploop.approve_session',
  deny: 'steploop.deny',
  rate: 'steploop.rate',
  answer: 'steploop.answer',
} as const;

/** Characters of a section's text (Block Kit: 3,000), after escaping. */
const SECTION = 2_900;
/** Characters and number of the sections of one message (about 13,200 in all blocks, slackapi/bolt-js#2509; 50 blocks). */
const PAGE = 12_000;
const MOST_SECTIONS = 40;
/** Characters of one line of a section: escaping may turn each of them into five. */
const LINE = 500;

/** The parts of a run that could not be posted. */
export interface Missing {
  /** Characters of its texts. */
  readonly characters: number;
  readonly questions: number;
  readonly files: number;
  /** Slack's error. */
  readonly error: string;
}

/** The one message with the status of a run. It has a Stop button while the run is in progress. */
export function status(story: Story, missing?: Missing): Outgoing {
  const text = missing ? `${unmarked(statusText(story))} · ${missingText(missing)}` : statusText(story);
  if (story.endSeq !== undefined) return { text, blocks: [context(text)] };
  return {
    text,
    blocks: [
      context(text),
      actions(button('Stop', action.stop, buttonValue(story.runId, story.at), 'danger')),
    ],
  };
}

/** Tool sources are asked before the model is. */
const waitedFor = ({ code }: NonNullable<Story['retrying']>): string =>
  code === 'tool_source_unreachable' ? 'the server of its tools' : 'the model';

function statusText({ ending, calls, busy, retrying, folding, tasks, skills, handedTo }: Story): string {
  const more = `${tasksText(tasks)}${skillsText(skills)}${handedTo ? ` · now with ${escapeMrkdwn(handedTo)}` : ''}`;
  const done = `${calls > 0 ? ` · ${count(calls, 'tool call')}` : ''}${more}`;
  switch (ending?.kind) {
    case undefined:
      if (retrying)
        return `:hourglass_flowing_sand: Waiting for ${waitedFor(retrying)}${nextTry(retrying.nextTryAt)}${done}`;
      if (folding) return `:hourglass_flowing_sand: Summarizing the conversation${done}`;
      if (busy.length > 0)
        return `:hourglass_flowing_sand: ${busy.map((name) => `\`${escapeMrkdwn(name)}\``).join(', ')}${done}`;
      return `:hourglass_flowing_sand: Working${done}`;
    case 'done': {
      const { steps, toolCalls, totals, message } = ending.result;
      const used = toolCalls > 0 ? ` · ${count(toolCalls, 'tool call')}` : '';
      const lacks = message === undefined ? '' : ` · ${escapeMrkdwn(clipped(message, 500))}`;
      const about = totals.estimated ? 'about ' : '';
      return `:white_check_mark: ${count(steps, 'step')}${used}${more} · ${about}$${totals.costUsd.toFixed(4)}${lacks}`;
    }
    case 'cancelled':
      return `:octagonal_sign: Stopped${done}`;
    case 'waiting':
      return `:raised_hand: Waiting for an answer${done}`;
    case 'failed':
      return `:warning: ${escapeMrkdwn(clipped(ending.message, 500))} (${ending.code})`;
    default:
      return ending satisfies never;
  }
}

function tasksText(tasks: Story['tasks']): string {
  if (!tasks || tasks.of === 0) return '';
  const now = tasks.now ? `: ${escapeMrkdwn(clipped(tasks.now, 120))}` : '';
  return ` · ${tasks.done} of ${count(tasks.of, 'task')} done${now}`;
}

function skillsText(skills: Story['skills'] = []): string {
  if (skills.length === 0) return '';
  return ` · ${skills.length === 1 ? 'skill' : 'skills'}: ${escapeMrkdwn(clipped(skills.join(', '), 200))}`;
}

/** A run with missing parts is not marked as done. */
const unmarked = (text: string): string => text.replace(/^:white_check_mark:/, ':warning:');

function missingText({ characters, questions, files, error }: Missing): string {
  const what = [
    ...(characters > 0 ? [`${characters.toLocaleString('en')} characters of the answer`] : []),
    ...(questions > 0 ? [count(questions, 'question')] : []),
    ...(files > 0 ? [count(files, 'file')] : []),
  ];
  const cure = error === 'missing_scope' ? '. An administrator has to install the app again' : '';
  return `${what.join(' and ')} could not be shown: Slack refuses them (\`${escapeMrkdwn(error)}\`)${cure}`;
}

/** A request to a person: an approval has buttons, and a question is answered with words. */
export function ask({ id, reason, message, expiresAt, grantable }: Ask, at?: Target): Outgoing {
  const until = expiresAt ? Math.floor(Date.parse(expiresAt) / 1000) : Number.NaN;
  const expiry = Number.isFinite(until)
    ? [
        context(
          `${untilWords(reason)} <!date^${until}^{date_short_pretty} {time}|${escapeMrkdwn(expiresAt ?? '')}>.`,
        ),
      ]
    : [];
  const value = buttonValue(id, at);
  const buttons = isQuestion(reason)
    ? questionButtons(message, reason, value, at)
    : reason === 'plan'
      ? planButtons(value, changesIn(message))
      : callButtons(value, grantable);
  return {
    text: escapeMrkdwn(clipped(message, 300)) || 'The agent asks for your approval.',
    blocks: [...(pagesOf(asked(message, reason)).at(-1) ?? []), ...buttons, ...expiry],
  };
}

/** The meaning of the buttons that name a duration: the grant of `functions/slack/interactions.ts`. */
const WHAT_IS_GRANTED =
  '_For this run_ or _for this session_: up to 5 more calls of this tool start without asking, if they are no more dangerous than this one.';

/** A question with fields has a button that opens them as a form; one that offers answers has a button for each. */
const questionButtons = (message: string, reason: string, value: string, at: Target | undefined): Block[] => [
  ...(reason === 'question' && formIn(message)
    ? [actions(button('Fill in', action.answer, value, 'primary'))]
    : []),
  ...(reason === 'question' ? optionButtons(optionsIn(message), value) : []),
  context(howToEnd(reason, at)),
];

const callButtons = (value: string, grantable = false): Block[] => [
  actions(
    button('Approve', action.approve, value, 'primary'),
    ...(grantable
      ? [
          button('Approve for this run', action.approveRun, value),
          button('… for this session', action.approveSession, value),
        ]
      : []),
    button('Deny', action.deny, value, 'danger'),
  ),
  ...(grantable ? [context(WHAT_IS_GRANTED)] : []),
];

/** Buttons to approve all changes, some by the menu, or none. Nothing is selected at first. */
function planButtons(value: string, changes: number): Block[] {
  const some = changes > 1;
  return [
    ...(some
      ? [{ ...section('Or select some of them:'), block_id: CHOICE, accessory: choiceOf(changes) }]
      : []),
    actions(
      button('Approve all', action.approve, value, 'primary'),
      ...(some ? [button('Approve selected', action.approveChosen, value)] : []),
      button('Deny all', action.deny, value, 'danger'),
    ),
  ];
}

/** Shown for an answer that comes from outside. */
const NO_ACTION = 'No action is needed here. The word *stop* stops the run.';

/** Words before the time of an expiry. */
const untilWords = (reason: string | undefined): string =>
  reason === 'timer'
    ? 'Continues at'
    : isQuestion(reason)
      ? 'Waiting for an answer until'
      : 'Counts as denied after';

/** Instructions for people below a wait without buttons. */
function howToEnd(reason: string | undefined, at: Target | undefined): string {
  switch (reason) {
    case 'callback':
    case 'page':
    case 'child':
      return NO_ACTION;
    case 'timer':
      return `${NO_ACTION} A message to me ends the wait.`;
    default:
      return howToAnswer(at);
  }
}

/** In direct messages everything is for the bot, without a mention. */
function howToAnswer(at: Target | undefined): string {
  if (!at || !isDirect(at.channel)) return 'Answer in this thread, and mention me.';
  return at.thread ? 'Answer in this thread.' : 'Answer here, or in the thread of this message.';
}

/** The messages before {@link ask} when a question is too long for one message. */
export const askBefore = ({ message, reason }: Ask): Outgoing[] =>
  pagesOf(asked(message, reason))
    .slice(0, -1)
    .map((blocks) => ({ text: 'The request continues in the next message.', blocks }));

/** Sections grouped into pages, as many as one message takes. */
function pagesOf(sections: readonly Section[]): Section[][] {
  const pages: Section[][] = [];
  let size = 0;
  for (const one of sections) {
    const { length } = one.text.text;
    const page = pages.at(-1);
    if (page && size + length <= PAGE && page.length < MOST_SECTIONS) page.push(one);
    else {
      pages.push([one]);
      size = 0;
    }
    size += length;
  }
  return pages;
}

/**
 * The whole request, in as many sections as it takes. An approval is shown unchanged, as code: nothing in it is a link,
 * a mention or bold.
 */
function asked(message: string, reason: string): Section[] {
  if (message === '') return [section('The agent asks for your approval.')];
  const asCode = !isQuestion(reason);
  const lines = message
    .split('\n')
    .flatMap(pieces)
    .map((line) => escapeMrkdwn(asCode ? line.replaceAll('```', '\\u{60}\\u{60}\\u{60}') : line));
  return packed(lines, SECTION - 8).map((text) => section(asCode ? `\`\`\`\n${text}\n\`\`\`` : text));
}

/** Splits a line into pieces; a continuation is marked, so that it cannot pass for a line of its own. */
function pieces(line: string): string[] {
  const characters = Array.from(line);
  const count = Math.max(1, Math.ceil(characters.length / LINE));
  return Array.from({ length: count }, (_, i) => {
    const piece = characters.slice(i * LINE, (i + 1) * LINE).join('');
    return i === 0 ? piece : `↪ ${piece}`;
  });
}

/** Joins lines, as many as fit into `size` characters each. */
function packed(lines: readonly string[], size: number): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const joined = texts.length === 0 ? line : `${texts.at(-1)}\n${line}`;
    if (joined.length > size) texts.push(line);
    else texts[Math.max(0, texts.length - 1)] = joined;
  }
  return texts;
}

/** The request, without buttons, and its outcome. `outcome` is mrkdwn. */
export const settledAsk = (message: string, reason: string, outcome: string): Outgoing => ({
  text: outcome,
  blocks: [...(pagesOf(asked(message, reason))[0] ?? []), context(outcome)],
});

/** The answer to `/steploop help`, and to unknown commands. */
export const help = (command: string): string =>
  [
    `\`${escapeMrkdwn(command)} <what you want>\` starts a session here, in a thread of its own.`,
    `\`${escapeMrkdwn(command)} stop\` stops the sessions that you started in this channel.`,
    'Or mention me in a channel, or write me a direct message. Each thread is a session: mention me there to continue it, or to say *stop*.',
  ].join('\n');

/** In the reader's own time zone; empty when the time is unknown. */
function nextTry(iso: string): string {
  const at = Math.ceil(Date.parse(iso) / 1000);
  return Number.isFinite(at) ? `, next try at <!date^${at}^{time_secs}|${escapeMrkdwn(iso)}>` : '';
}
