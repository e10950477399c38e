import { attachedText, forwardedFiles } from './attached.ts';
import { toPlainMarkdown } from './mrkdwn.ts';
import type { EventEnvelope, SaidEvent, SlackFile } from './payloads.ts';
import { type Person, speakerOf } from './person.ts';
import { isDirect, type SlackPlace } from './place.ts';
import type { Installation } from './store.ts';

/** A message of a person, addressed to the bot. */
export interface SlackMessage extends Person {
  readonly place: SlackPlace;
  /** `reply`: in a thread of a channel, without a mention. */
  readonly kind: 'mention' | 'direct' | 'reply';
  /** Whether the channel is shared with another organisation; undefined when Slack does not say. */
  readonly shared?: boolean | undefined;
  /** Without the mention of the bot. */
  readonly text: string;
  readonly ts: string;
  /** Its own files, and those of messages that it forwards. */
  readonly files: readonly SlackFile[];
  /** For the model: what it says beside its text, quoted as material. */
  readonly attached?: string;
  /** The workspace in which it was said, if an organisation installed the app and Slack names the workspace. */
  readonly workspace?: string;
  /** The author of the first message in the thread that it is a reply in, if Slack names one. */
  readonly parent?: string;
  /** Set if the author has edited the message. */
  readonly edited?: Edited;
  /** Id of the bot or workflow that wrote it; absent for a person. */
  readonly bot?: string;
}

/** The edit of a message, and how Slack reported it. */
export interface Edited {
  /** `ts` of the edit, which distinguishes edits. */
  readonly at: string;
  /**
   * Whether the edit added a mention of the bot; undefined for a mention, for which Slack does not report the earlier
   * text.
   */
  readonly newlyMentions?: boolean;
}

/** Kinds of `message` events that are new words of a person; all others report edits, deletions, joins and bots. */
const spoken: ReadonlySet<string | undefined> = new Set([undefined, 'file_share', 'thread_broadcast']);

/**
 * The message that an event carries, or undefined when it is not for the bot: the bot's own words, other bots', and
 * messages in a channel without a mention, unless they are replies in a thread. A message that is only a mention has an empty text. Only edits by a person
 * count: an `app_mention` with `edited`, in direct messages a `message_changed`. A mention arrives twice, as
 * `app_mention` and as `message`: both give the same message, so its identity ({@link inboxIdOf}) lets one through.
 *
 * @param installed the workspace whose bot may be meant, with the bot's own user id in it
 * @param bots ids of other bots and workflows whose mentions count
 */
export function toMessage(
  told: SaidEvent,
  envelope: EventEnvelope,
  installed: Pick<Installation, 'team' | 'enterprise' | 'orgWide' | 'botUser'>,
  bots: readonly string[] = [],
): SlackMessage | undefined {
  const { team, botUser } = installed;
  const event = asSaid(told);
  if (!event) return undefined;
  const { channel, ts, thread_ts, parent_user_id: parent, subtype, hidden } = event;
  const bot = [event.bot_id, event.app_id].find((id) => id !== undefined && bots.includes(id));
  const user = event.user ?? bot;
  if (!user || user === botUser || (isMachine(event) && !bot) || hidden) return undefined;
  if (!spoken.has(subtype) && !(bot && subtype === 'bot_message')) return undefined;
  const direct = event.channel_type === 'im' || (event.channel_type === undefined && isDirect(channel));
  const shared = envelope.is_ext_shared_channel ?? undefined;
  // If two organisations share the channel, both may have installed the app, and the mention is of one of the two bots.
  const mentioned = (event.type === 'app_mention' && !shared) || mentionOf(botUser).test(event.text);
  // A reply that mentions others is for them.
  const isOpenReply =
    event.type === 'message' && isReply(event) && !bot && !/<@[UW][A-Z0-9]+/.test(event.text);
  if (!direct && !mentioned && !isOpenReply) return undefined;
  const text = event.text.replace(mentionOf(botUser, 'g'), '').trim();
  const thread = isReply(event) ? thread_ts : direct ? undefined : ts;
  const attached = attachedText({ ...event, text: event.text });
  return {
    place: { team, channel, ...(thread && { thread }) },
    kind: direct ? 'direct' : mentioned ? 'mention' : 'reply',
    ...speakerOf({ ...event, user }, envelope, installed),
    shared,
    text,
    ts,
    files: filesOf(event),
    ...(attached && { attached }),
    ...(installed.orgWide && envelope.team_id && { workspace: envelope.team_id }),
    ...(parent && { parent }),
    ...(event.edited && { edited: editedOf(event.edited.ts, told, botUser) }),
    ...(bot && { bot }),
  };
}

/** A file that is forwarded beside itself comes once. */
function filesOf(event: SaidEvent): SlackFile[] {
  const all = [...(event.files ?? []), ...forwardedFiles(event)];
  return [...new Map(all.map((file) => [file.id, file])).values()];
}

/** The words of an event. For an edit by a person, they are the new text. */
function asSaid(told: SaidEvent): SaidEvent | undefined {
  if (told.type !== 'message' || told.subtype !== 'message_changed') return told;
  const { message, previous_message: before, channel, channel_type } = told;
  if (!message?.edited || message.text === before?.text) return undefined;
  return { ...message, type: 'message', channel, channel_type };
}

/** A message that was deleted in Slack, by its author or by an administrator. */
export interface DeletedMessage extends Person {
  readonly place: SlackPlace;
  readonly kind: 'mention' | 'direct';
  readonly ts: string;
  /** `ts` of the deletion. */
  readonly at: string;
  readonly parent?: string;
}

/** The message whose deletion an event reports, or undefined if it reports none of a person's. */
export function toDeletion(
  told: SaidEvent,
  envelope: EventEnvelope,
  installed: Pick<Installation, 'team' | 'enterprise' | 'orgWide' | 'botUser'>,
): DeletedMessage | undefined {
  if (told.type !== 'message') return undefined;
  const { subtype, message, previous_message: before, deleted_ts, channel, channel_type } = told;
  const isTombstone = subtype === 'message_changed' && message?.subtype === 'tombstone';
  if ((subtype !== 'message_deleted' && !isTombstone) || !before) return undefined;
  const { user, thread_ts, parent_user_id: parent } = before;
  const ts = deleted_ts ?? before.ts;
  if (!ts || !user || user === installed.botUser || isMachine(before)) return undefined;
  const direct = channel_type === 'im' || (channel_type === undefined && isDirect(channel));
  const thread = isReply({ ts, thread_ts }) ? thread_ts : direct ? undefined : ts;
  return {
    place: { team: installed.team, channel, ...(thread && { thread }) },
    kind: direct ? 'direct' : 'mention',
    ...speakerOf(before, envelope, installed),
    ts,
    at: told.ts,
    ...(parent && { parent }),
  };
}

/** The text that the model reads of a message that was deleted after it had read it. */
export const toDeletionPrompt = ({ user, external }: Pick<Person, 'user' | 'external'>, ts: string): string =>
  `A message of <@${user}>${external ? ', who is of another organisation,' : ''} was deleted in Slack: the one from ${new Date(atOf(ts)).toISOString()}. Do not act on it and do not repeat it.`;

/** The id under which the deletion of a message enters the inbox. */
export const deletionIdOf = (message: Pick<SlackMessage, 'place' | 'ts'>): string =>
  `${inboxIdOf(message)}-deleted`;

function editedOf(at: string, told: SaidEvent, botUser: string): Edited {
  if (told.type !== 'message') return { at };
  const { message, previous_message: before } = told;
  const mentions = (text = '') => mentionOf(botUser).test(text);
  return { at, newlyMentions: Boolean(before) && mentions(message?.text) && !mentions(before?.text) };
}

/** Whether no person wrote it: Slackbot posts as a user, including reminders and custom responses, and so do apps. */
const isMachine = ({
  user,
  bot_id,
  bot_profile,
}: Pick<SaidEvent, 'user' | 'bot_id' | 'bot_profile'>): boolean =>
  user === 'USLACKBOT' || bot_id !== undefined || bot_profile !== undefined;

/** Whether a message stands in a thread. A message with replies has a `thread_ts` too: its own `ts`. */
export const isReply = ({ ts, thread_ts }: { ts: string; thread_ts?: string | undefined }): boolean =>
  thread_ts !== undefined && thread_ts !== ts;

/**
 * The id under which a message enters the inbox. It is the message's identity in Slack, and therefore the same for
 * every delivery of an event (whose `event_id` stays when Slack retries) and for the two events of one mention.
 */
export const inboxIdOf = ({ place, ts }: Pick<SlackMessage, 'place' | 'ts'>): string =>
  `slack-${place.team}-${place.channel}-${ts}`;

/**
 * Epoch ms at which a message was written. Messages that wait together are read in this order, even if files or a
 * thread delayed one of them.
 */
export const atOf = (ts: string): number => Math.floor(Number(ts) * 1000);

/**
 * The text that the model reads: the author's id, what they wrote, and what came with it. Names are left out, because
 * people choose them freely.
 */
export function toPrompt(
  { user, external, bot }: Pick<Person, 'user' | 'external'> & { readonly bot?: string | undefined },
  text: string,
  attached = '',
): string {
  const said = [toPlainMarkdown(text), attached].filter((part) => part !== '').join('\n\n');
  const author = bot === undefined ? `<@${user}>` : `the app ${bot}, which is no person`;
  return `Slack message from ${author}${whose(external)}:\n\n${said}`;
}

/** For the model: the message only forwards something. */
const ONLY_FORWARDS =
  '(They send you what follows and say no more. Ask what they want if that is not clear.)';

/**
 * The text that the model reads of a message.
 *
 * @param unsaid stands for the words of a message that has no content
 */
export const promptOf = (message: SlackMessage, unsaid = ''): string => {
  const { text, attached, files } = message;
  return toPrompt(message, text || (attached ? ONLY_FORWARDS : files.length > 0 ? '' : unsaid), attached);
};

/** The text that the model reads of a message that was edited after it had read it. */
export function toEditPrompt({ user, external }: Pick<Person, 'user' | 'external'>, text: string): string {
  const who = external ? `<@${user}>${whose(external)},` : `<@${user}>`;
  return `${who} has edited a message of theirs in Slack. It reads now:\n\n${toPlainMarkdown(text) || '(nothing)'}`;
}

const whose = (external: boolean): string => (external ? ', who is of another organisation' : '');

/** The id under which an edit enters the inbox: the same for every delivery of it. */
export const editIdOf = (message: Pick<SlackMessage, 'place' | 'ts'>, { at }: Edited): string =>
  `${inboxIdOf(message)}-edit-${at}`;

const mentionOf = (user: string, flags = '') => new RegExp(`<@${user}(\\|[^>]*)?>`, flags);
