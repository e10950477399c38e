/** `steploop slack manifest`: prints the app's manifest for Slack. */

import { slackManifest } from '../local/slack/manifest.ts';
import { parse } from './arguments.ts';
import { WrongUsage } from './ends.ts';

const usage = `steploop slack manifest [--url URL | --socket-mode] [--name NAME] [--org] [--rotate-tokens] [--thread-replies] [--assistant]
                        [--reactions] [--shortcut ID=TITLE]

Prints the manifest of your Slack app, to be pasted at https://api.slack.com/apps (Create New App, From a manifest).

  --url URL        The address that Slack calls: the stack's output HttpUrl, or a tunnel's address. Default: STEPLOOP_URL
  --socket-mode    Without an address: steploop dev --slack-socket opens a connection
  --name NAME      The name that people see. Default: Steploop
  --org            It may be installed for a whole organisation (Enterprise Grid)
  --rotate-tokens  Its tokens expire after 12 hours and are renewed. For an app, this cannot be undone
  --thread-replies Slack reports messages without a mention too, for slack.replies of the definition
  --assistant      The app has the assistant's pane, for slack.assistant of the definition
  --reactions      Slack reports reactions, for slack.reactions of the definition
  --shortcut ID=TITLE  A shortcut of messages, one of slack.shortcuts of the definition. Repeat it for each, up to ten`;

/** Slack shows no longer name (docs.slack.dev/reference/app-manifest). */
const LONGEST_NAME = 35;

/** Shortcuts that an app may have (docs.slack.dev/reference/app-manifest). */
const MOST_SHORTCUTS = 10;

export async function slack(args: readonly string[]): Promise<number> {
  const parsed = parse(args, {
    usage,
    options: {
      url: { type: 'string' },
      'socket-mode': { type: 'boolean', default: false },
      name: { type: 'string', default: 'Steploop' },
      org: { type: 'boolean', default: false },
      'rotate-tokens': { type: 'boolean', default: false },
      'thread-replies': { type: 'boolean', default: false },
      assistant: { type: 'boolean', default: false },
      reactions: { type: 'boolean', default: false },
      shortcut: { type: 'string', multiple: true, default: [] as string[] },
    },
    words: 1,
  });
  if (!parsed) return 0;
  const { values, positionals } = parsed;
  if (positionals[0] !== 'manifest') throw new WrongUsage(usage);
  const { name, org, assistant, reactions, 'rotate-tokens': rotation, 'socket-mode': socket } = values;
  const shortcuts = shortcutsOf(values.shortcut);
  const replies = values['thread-replies'];
  if (name.trim() === '' || name.length > LONGEST_NAME)
    throw new WrongUsage(`--name has 1 to ${LONGEST_NAME} characters.`);
  if (socket && values.url !== undefined)
    throw new WrongUsage('With --socket-mode Slack calls no address, so it cannot be combined with --url.');
  if (socket && rotation)
    throw new WrongUsage(
      'Socket Mode on this machine needs a token that does not expire, so it cannot be combined with --rotate-tokens.',
    );
  const url = socket ? undefined : addressOf(values.url ?? process.env.STEPLOOP_URL);
  console.log(
    JSON.stringify(
      slackManifest({ url, name, org, rotation, replies, assistant, reactions, shortcuts }),
      null,
      2,
    ),
  );
  return 0;
}

/** Shortcuts by their ids. */
function shortcutsOf(given: readonly string[]): Record<string, string> {
  const shortcuts = given.map((one) => /^([\w-]{1,255})=(.{1,150})$/.exec(one));
  if (shortcuts.some((one) => one === null) || given.length > MOST_SHORTCUTS)
    throw new WrongUsage(
      `--shortcut is ID=TITLE, at most ${MOST_SHORTCUTS} times: an id of letters, digits, - and _, and up to 150 characters.`,
    );
  return Object.fromEntries(shortcuts.flatMap((one) => (one ? [[one[1] ?? '', one[2] ?? '']] : [])));
}

/** The address without a trailing slash. Throws {@link WrongUsage} for an address that Slack cannot call. */
export function addressOf(text: string | undefined): string {
  if (!text) throw new WrongUsage(`Where does Slack call? Say --url or --socket-mode.\n\n${usage}`);
  const url = URL.parse(text);
  const isBare = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  if (!isBare)
    throw new WrongUsage(
      `${text} is not an address of a deployment, such as https://abc123.execute-api.eu-central-1.amazonaws.com, without a path.`,
    );
  if (url.protocol !== 'https:')
    throw new WrongUsage(
      `Slack calls only https addresses, not ${url.origin}: name a tunnel's, or use --socket-mode.`,
    );
  return url.origin;
}
