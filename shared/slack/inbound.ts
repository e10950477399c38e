import type { SaidEvent, SlackFile } from './payloads.ts';

/** Where in Slack a session lives. */
export interface Place {
  readonly team: string;
  readonly channel: string;
  /** The thread; absent for the top level of a direct message. */
  readonly thread?: string;
}

/** A message of a person, addressed to the bot. */
export interface SlackMessage {
  readonly place: Place;
  readonly kind: 'mention' | 'direct';
  readonly user: string;
  /** Without the mention of the bot. */
  readonly text: string;
  readonly ts: string;
  readonly files: readonly SlackFile[];
}

/** Kinds of `message` events that are new words of a person; all others tell of edits, deletions, joins, bots. */
const spoken: ReadonlySet<string | undefined> = new Set([undefined, 'file_share', 'thread_broadcast']);

/**
 * The message that an event carries, or undefined when it is not for the bot: its own words, other bots', edits, and
 * what is said in a channel without a mention. A mention arrives twice, as `app_mention` and as `message`: both give
 * the same message, so its identity ({@link inboxIdOf}) lets one through.
 *
 * @param botUser the bot's own user id in this workspace
 */
export function toMessage(event: SaidEvent, team: string, botUser: string): SlackMessage | undefined {
  const { user, bot_id, channel, ts, thread_ts, subtype, hidden, files = [] } = event;
  if (!user || user === botUser || bot_id || hidden || !spoken.has(subtype)) return undefined;
  const direct = event.channel_type === 'im' || (event.channel_type === undefined && channel.startsWith('D'));
  const mentioned = event.type === 'app_mention' || mentionOf(botUser).test(event.text);
  if (!direct && !mentioned) return undefined;
  const text = event.text.replace(mentionOf(botUser, 'g'), '').trim();
  if (text === '' && files.length === 0) return undefined;
  const thread = thread_ts ?? (direct ? undefined : ts);
  return {
    place: { team, channel, ...(thread && { thread }) },
    kind: direct ? 'direct' : 'mention',
    user,
    text,
    ts,
    files,
  };
}

/** The key of a place's session: a thread is a session; the top level of a direct message is one too. */
export const placeKeyOf = ({ team, channel, thread }: Place): string =>
  `${team}:${channel}:${thread ?? 'direct'}`;

/**
 * The id under which a message enters the inbox. It is the message's identity in Slack, and so the same for every
 * delivery of an event (whose `event_id` stays when Slack tries again) and for the two events of one mention.
 */
export const inboxIdOf = ({ place, ts }: Pick<SlackMessage, 'place' | 'ts'>): string =>
  `slack-${place.team}-${place.channel}-${ts}`;

/**
 * What the model reads: who speaks, by id, and what they wrote. Names are left out, because people choose them freely.
 * Slack escapes `&`, `<` and `>` in texts, and nothing else.
 */
export function toPrompt(user: string, text: string): string {
  return `Slack message from <@${user}>:\n\n${unescaped(text)}`;
}

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const mentionOf = (user: string, flags = '') => new RegExp(`<@${user}(\\|[^>]*)?>`, flags);
