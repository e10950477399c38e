import type { EventEnvelope, SaidEvent, SlackFile } from './payloads.ts';
import { type Person, speakerOf } from './person.ts';
import { isDirect, type Place } from './place.ts';
import type { Installation } from './store.ts';

/** A message of a person, addressed to the bot. */
export interface SlackMessage extends Person {
  readonly place: Place;
  readonly kind: 'mention' | 'direct';
  /** Whether the channel is shared with another organisation; undefined when Slack does not say. */
  readonly shared?: boolean | undefined;
  /** Without the mention of the bot. */
  readonly text: string;
  readonly ts: string;
  readonly files: readonly SlackFile[];
  /** Of an organisation's installation, the workspace in which it was said, if Slack says so. */
  readonly workspace?: string;
  /** Who wrote the first message of the thread that it is a reply in, if Slack says so. */
  readonly parent?: string;
  /** Set when this is what its author has made of it. */
  readonly edited?: Edited;
}

/** That a message was changed, and how Slack told it. */
export interface Edited {
  /** `ts` of the change: it tells one from the next. */
  readonly at: string;
  /** Whether it mentions the bot since then; undefined for a mention, of which Slack does not say what it was before. */
  readonly newlyMentions?: boolean;
}

/** Kinds of `message` events that are new words of a person; all others tell of edits, deletions, joins, bots. */
const spoken: ReadonlySet<string | undefined> = new Set([undefined, 'file_share', 'thread_broadcast']);

/**
 * The message that an event carries, or undefined when it is not for the bot: its own words, other bots', and what is
 * said in a channel without a mention. A mention alone is one without text. Of changes, those that people make to what
 * they said: an `app_mention` with `edited`, in direct messages a `message_changed`. A mention arrives twice, as `app_mention` and as `message`: both give
 * the same message, so its identity ({@link inboxIdOf}) lets one through.
 *
 * @param installed the workspace whose bot may be meant, with the bot's own user id in it
 */
export function toMessage(
  told: SaidEvent,
  envelope: EventEnvelope,
  installed: Pick<Installation, 'team' | 'enterprise' | 'orgWide' | 'botUser'>,
): SlackMessage | undefined {
  const { team, botUser } = installed;
  const event = asSaid(told);
  if (!event) return undefined;
  const { user, channel, ts, thread_ts, parent_user_id: parent, subtype, hidden, files = [] } = event;
  if (!user || user === botUser || isMachine(event) || hidden || !spoken.has(subtype)) return undefined;
  const direct = event.channel_type === 'im' || (event.channel_type === undefined && isDirect(channel));
  const shared = envelope.is_ext_shared_channel ?? undefined;
  // Where two organisations are, both may have installed the app, and the mention is of one of the two bots.
  const mentioned = (event.type === 'app_mention' && !shared) || mentionOf(botUser).test(event.text);
  if (!direct && !mentioned) return undefined;
  const text = event.text.replace(mentionOf(botUser, 'g'), '').trim();
  const thread = isReply(event) ? thread_ts : direct ? undefined : ts;
  return {
    place: { team, channel, ...(thread && { thread }) },
    kind: direct ? 'direct' : 'mention',
    ...speakerOf(event, envelope, installed),
    shared,
    text,
    ts,
    files,
    ...(installed.orgWide && envelope.team_id && { workspace: envelope.team_id }),
    ...(parent && { parent }),
    ...(event.edited && { edited: editedOf(event.edited.ts, told, botUser) }),
  };
}

/** The words of an event: of a change, as they read now, if a person has changed them. */
function asSaid(told: SaidEvent): SaidEvent | undefined {
  if (told.type !== 'message' || told.subtype !== 'message_changed') return told;
  const { message, previous_message: before, channel, channel_type } = told;
  if (!message?.edited || message.text === before?.text) return undefined;
  return { ...message, type: 'message', channel, channel_type };
}

function editedOf(at: string, told: SaidEvent, botUser: string): Edited {
  if (told.type !== 'message') return { at };
  const { message, previous_message: before } = told;
  const mentions = (text = '') => mentionOf(botUser).test(text);
  return { at, newlyMentions: before !== undefined && mentions(message?.text) && !mentions(before.text) };
}

/**
 * Whether no person has said it: Slackbot speaks as a user, also what reminders and its custom responses are told to say,
 * and so do apps.
 */
const isMachine = ({ user, bot_id, bot_profile }: SaidEvent): boolean =>
  user === 'USLACKBOT' || bot_id !== undefined || bot_profile !== undefined;

/** Whether a message stands in a thread. One that has replies has a `thread_ts` too: its own `ts`. */
export const isReply = ({ ts, thread_ts }: { ts: string; thread_ts?: string | undefined }): boolean =>
  thread_ts !== undefined && thread_ts !== ts;

/**
 * The id under which a message enters the inbox. It is the message's identity in Slack, and so the same for every
 * delivery of an event (whose `event_id` stays when Slack tries again) and for the two events of one mention.
 */
export const inboxIdOf = ({ place, ts }: Pick<SlackMessage, 'place' | 'ts'>): string =>
  `slack-${place.team}-${place.channel}-${ts}`;

/**
 * Epoch ms at which a message was said: messages that wait together are read in this order, also when one of them took a
 * while, for its files or its thread.
 */
export const atOf = (ts: string): number => Math.floor(Number(ts) * 1000);

/**
 * What the model reads: who speaks, by id, and what they wrote. Names are left out, because people choose them freely.
 * Slack escapes `&`, `<` and `>` in texts, and nothing else.
 */
export function toPrompt({ user, external }: Pick<Person, 'user' | 'external'>, text: string): string {
  return `Slack message from <@${user}>${whose(external)}:\n\n${unescaped(text)}`;
}

/** What the model reads of a message that was changed after it had read it. */
export function toEditPrompt({ user, external }: Pick<Person, 'user' | 'external'>, text: string): string {
  const who = external ? `<@${user}>${whose(external)},` : `<@${user}>`;
  return `${who} has edited a message of theirs in Slack. It reads now:\n\n${unescaped(text) || '(nothing)'}`;
}

const whose = (external: boolean): string => (external ? ', who is of another organisation' : '');

/** The id under which a change enters the inbox: the same for every delivery of it. */
export const editIdOf = (message: Pick<SlackMessage, 'place' | 'ts'>, { at }: Edited): string =>
  `${inboxIdOf(message)}-edit-${at}`;

/** Slack's text as it was written. */
export const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const mentionOf = (user: string, flags = '') => new RegExp(`<@${user}(\\|[^>]*)?>`, flags);
