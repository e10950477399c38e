/** The content of the page: messages of the emulated Slack as plain data, without anything that a page could run. Pure. */

import type { SlackBlock, SlackElement, SlackMessage, SlackOption } from '../emulated/caller.ts';
import type { EmulatedSlack } from '../emulated/emulated-slack.ts';
import type { ShownForm } from './form.ts';

export interface ShownRoom {
  readonly user: string;
  /** Oldest first. */
  readonly threads: readonly ShownThread[];
  /** The form that the person sees. */
  readonly form?: ShownForm;
}

export interface ShownThread {
  /** `ts` of its first message. */
  readonly thread: string;
  readonly messages: readonly ShownMessage[];
}

export interface ShownMessage {
  readonly ts: string;
  /** Name of a person, or of the app. */
  readonly who: string;
  readonly isApp: boolean;
  /** Each in Slack's markup, or Markdown. A message without blocks has one text. */
  readonly texts: readonly ShownText[];
  /** Numbers of a plan's changes to choose from; undefined if there is no menu. */
  readonly options?: readonly ShownButton[];
  readonly buttons: readonly ShownButton[];
}

export interface ShownText {
  readonly text: string;
  /** Small and grey, for Slack's context blocks. */
  readonly isContext: boolean;
}

export interface ShownButton {
  /** Id of the action, or value of the option. */
  readonly id: string;
  readonly text: string;
  readonly style?: string;
}

/**
 * @param top messages of the channel, oldest first
 * @param threads messages of each thread, including its first one; undefined if there are no replies
 */
export function shownOf(
  slack: Pick<EmulatedSlack, 'users' | 'botUser'>,
  user: string,
  top: readonly SlackMessage[],
  threads: readonly (readonly SlackMessage[] | undefined)[],
): ShownRoom {
  const names = new Map([
    ...Object.entries(slack.users).map(([name, id]) => [id, name] as const),
    [slack.botUser, 'steploop'] as const,
  ]);
  const shown = (message: SlackMessage): ShownMessage => {
    const blocks = message.blocks ?? [];
    const files = (message.files ?? []).map(({ name }) => ({ text: `📎 ${name}`, isContext: true }));
    const texts = [...blocks.flatMap(textsOf), ...files];
    const options = blocks.flatMap(({ accessory }) => accessory?.options ?? []).map(optionOf);
    return {
      ts: message.ts,
      who: names.get(message.user) ?? 'steploop',
      isApp: message.user === slack.botUser || !names.has(message.user),
      texts: (texts.length > 0 ? texts : [{ text: message.text, isContext: false }]).map((one) => ({
        ...one,
        text: plain(one.text, names),
      })),
      ...(options.length > 0 && { options }),
      buttons: blocks.flatMap(({ type, elements = [] }) =>
        type === 'actions' ? elements.map(buttonOf) : elements.flatMap(ratingsOf),
      ),
    };
  };
  return {
    user,
    threads: top.map((first, i) => ({ thread: first.ts, messages: (threads[i] ?? [first]).map(shown) })),
  };
}

/** Ids of the two buttons below an answer, on the page. */
export const RATE = { positive: 'rate:positive', negative: 'rate:negative' } as const;

function textsOf({ type, text, title = '', tasks = [], elements = [] }: SlackBlock): ShownText[] {
  if (type === 'plan') {
    const lines = tasks.map((task) => `[${task.status}] ${task.title}`);
    return [{ text: [title, ...lines].join('\n'), isContext: false }];
  }
  if (type === 'markdown' && typeof text === 'string') return [{ text, isContext: false }];
  if (type === 'section' && typeof text === 'object') return [{ text: text.text, isContext: false }];
  if (type !== 'context') return [];
  return elements.flatMap((one) =>
    typeof one.text === 'string' ? [{ text: one.text, isContext: true }] : [],
  );
}

const buttonOf = ({ action_id: id = '', text, style }: SlackElement): ShownButton => ({
  id,
  text: typeof text === 'object' ? text.text : '',
  ...(style && { style }),
});

/** The two buttons below an answer. */
const ratingsOf = ({ type }: SlackElement): ShownButton[] =>
  type === 'feedback_buttons'
    ? [
        { id: RATE.positive, text: '👍' },
        { id: RATE.negative, text: '👎' },
      ]
    : [];

const optionOf = ({ value, text }: SlackOption): ShownButton => ({
  id: value,
  text: text?.text ?? value,
});

const emoji: ReadonlyMap<string, string> = new Map([
  ['hourglass', '⏳'],
  ['hourglass_flowing_sand', '⏳'],
  ['white_check_mark', '✅'],
  ['octagonal_sign', '🛑'],
  ['raised_hand', '✋'],
  ['warning', '⚠️'],
  ['no_entry', '⛔'],
]);

/** Renders Slack's escapes, mentions, dates and emoji names for a reader. */
function plain(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${names.get(id) ?? id}`)
    .replaceAll(/<!date\^\d+\^[^|>]*\|([^>]*)>/g, '$1')
    .replaceAll(/<([^|>\s]+)\|([^>]*)>/g, '$2')
    .replaceAll(/:(\w+):/g, (all, name: string) => emoji.get(name) ?? all)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
