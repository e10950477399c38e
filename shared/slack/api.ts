import type { Chunk } from './chunk.ts';
import type { Block, Outgoing } from './outgoing.ts';
import type { SlackAttachment } from './payloads.ts';

/** The outcome of a call to Slack. Adapters never reject: a failure is an answer. */
export type Answer<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  /** 429: not to be repeated before `retryAfterMs`. Nothing was done. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** Slack refused, and why: `channel_not_found`. Nothing was done. */
  | { readonly kind: 'refused'; readonly error: string }
  /** No answer, or a failure of Slack: the call may or may not have been carried out. */
  | { readonly kind: 'unknown'; readonly error: string };

/** Where messages are posted. */
export interface Target {
  readonly channel: string;
  /** Absent at the top level of a direct message. */
  readonly thread?: string;
}

/** The user for whom a stream is: Slack asks for it in channels (docs.slack.dev, chat.startStream). */
export interface Recipient {
  readonly user: string;
  readonly team: string;
}

/** Names a message in its metadata, so that it can be found again. */
export interface Label {
  readonly sessionId: string;
  readonly slot: string;
}

/** A message of ours in a thread. */
export interface Found {
  readonly ts: string;
  readonly label?: Label;
}

/** A message in a thread, by any author. */
export interface Reply {
  readonly ts: string;
  readonly user?: string;
  /** Set for a bot that is not a user. */
  readonly bot?: string;
  readonly text: string;
  readonly attachments?: readonly SlackAttachment[];
  readonly blocks?: readonly Block[];
  /** Names of its files. */
  readonly files: readonly string[];
}

/** A suggestion: the words that are shown, and the message that is sent when they are chosen. */
export interface Prompt {
  readonly title: string;
  readonly message: string;
}

/** The part of Slack's Web API that is used, as one workspace's bot. */
export interface SlackApi {
  post(target: Target, message: Outgoing, label: Label): Promise<Answer<{ ts: string }>>;
  update(channel: string, ts: string, message: Outgoing): Promise<Answer<unknown>>;
  startStream(target: Target, recipient: Recipient, markdown: string): Promise<Answer<{ ts: string }>>;
  appendStream(channel: string, ts: string, markdown: string): Promise<Answer<unknown>>;
  /** Ends a stream. `blocks` stand below its text. */
  stopStream(
    channel: string,
    ts: string,
    markdown: string,
    blocks?: readonly Block[],
  ): Promise<Answer<unknown>>;
  /** The same with task cards. A stream takes either text or cards. An update of a card names it, and replaces what it shows. */
  startCards(target: Target, recipient: Recipient, chunks: readonly Chunk[]): Promise<Answer<{ ts: string }>>;
  appendCards(channel: string, ts: string, chunks: readonly Chunk[]): Promise<Answer<unknown>>;
  stopCards(channel: string, ts: string, chunks: readonly Chunk[]): Promise<Answer<unknown>>;
  /** The bot's own messages in a thread (or at the channel's top level), oldest first, from `since` (epoch ms). */
  ownMessages(target: Target, since: number): Promise<Answer<readonly Found[]>>;
  /**
   * A thread as it was before `before` (a `ts`), oldest first: all of it, or its first and its latest messages. `total`:
   * about how many it has, if some in between were not read. `more`: its latest messages could not be read.
   */
  replies(
    channel: string,
    thread: string,
    before: string,
  ): Promise<Answer<{ messages: readonly Reply[]; more: boolean; total?: number }>>;
  /** A message by its `ts`, and the thread that it is in; undefined if there is none. */
  message(channel: string, ts: string): Promise<Answer<{ message: Reply; thread?: string } | undefined>>;
  /** Shows prompts to choose from in a conversation of the assistant's pane. At most four. */
  suggestPrompts(channel: string, thread: string, prompts: readonly Prompt[]): Promise<Answer<unknown>>;
  /** Names a conversation of the pane, in the list of its user's conversations. */
  setTitle(channel: string, thread: string, title: string): Promise<Answer<unknown>>;
  /** Shows what the bot does ("is …") in a conversation of the pane, until its next message there. */
  setStatus(channel: string, thread: string, status: string): Promise<Answer<unknown>>;
  publishHome(user: string, view: Block): Promise<Answer<unknown>>;
  postEphemeral(target: Target, user: string, text: string): Promise<Answer<unknown>>;
  /** Opens a modal for the person whose click had this trigger: within 3 s, and once (docs.slack.dev, views.open). */
  openView(trigger: string, view: Block): Promise<Answer<unknown>>;
  /** A new file of this many bytes, not yet visible to people: its id, and where its bytes go. */
  uploadUrl(name: string, length: number): Promise<Answer<{ readonly url: string; readonly id: string }>>;
  /** Sends a file's bytes there. */
  upload(url: string, bytes: Uint8Array): Promise<Answer<unknown>>;
  /** Shows an uploaded file in a place. Slack answers before it is shown. */
  completeUpload(
    target: Target,
    file: { readonly id: string; readonly title: string },
  ): Promise<Answer<unknown>>;
  /** Whether a file is shown in a channel. */
  isShared(file: string, channel: string): Promise<Answer<boolean>>;
  /** Whether Slack knows the token: refused when it was revoked. */
  isKnown(): Promise<Answer<unknown>>;
  /** The channel of the bot's direct messages with a user. */
  openDirect(user: string): Promise<Answer<{ channel: string }>>;
}

/** Refusals after which nothing can be posted in a place, until the app is installed or invited again. */
const LOST: ReadonlySet<string> = new Set([
  'account_inactive',
  'channel_not_found',
  'invalid_auth',
  'is_archived',
  'not_authed',
  'not_in_channel',
  'restricted_action',
  'team_access_not_granted',
  'thread_not_found',
  'token_expired',
  'token_revoked',
]);

/** Whether a refusal concerns the place and not the message. */
export const isLost = (error: string): boolean => LOST.has(error);
