import type { SlackMessage } from './caller.ts';
import type { Modal } from './modals.ts';

export interface EmulatedSlack {
  /** Base URL of its Web API, for `SLACK_API_URL`. */
  readonly apiUrl: string;
  readonly team: string;
  readonly botUser: string;
  readonly signingSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Ids by name. */
  readonly users: Readonly<Record<string, string>>;
  readonly channel: string;
  /** The app's address: `http://…` without a path. Events go there from now on. */
  connect(appUrl: string): void;
  /** A person consents to the installation: the second half of the flow that `installUrl` begins. */
  consent(installUrl: string, user: string): Promise<{ status: number; text: string }>;
  /** A person writes. Resolves when the app has been notified, with its answers. */
  say(user: string, text: string, thread?: string): Promise<SentMessage>;
  /** A person writes a direct message to the bot. */
  tell(user: string, text: string, thread?: string): Promise<SentMessage>;
  /** A person edits their message. Slack reports it again as a mention, or in direct messages as a change. */
  edit(user: string, said: SentMessage, text: string): Promise<number[]>;
  /** A person deletes their message. Slack reports it in direct messages. */
  unsay(user: string, said: SentMessage): Promise<number[]>;
  /** A person shares a file, with a comment. */
  share(
    user: string,
    text: string,
    file: { name: string; content: string | Uint8Array<ArrayBuffer> },
  ): Promise<SentMessage>;
  /** A person clicks a button of a message, with these values selected in its menu. Resolves with the app's answer. */
  click(
    user: string,
    message: SlackMessage,
    channel: string,
    actionId: string,
    chosen?: readonly string[],
  ): Promise<number>;
  /** A person clicks one of the two buttons below an answer. Slack reports each click. */
  rate(
    user: string,
    message: SlackMessage,
    channel: string,
    rating: 'positive' | 'negative',
  ): Promise<number>;
  /** The modal that a person sees. */
  modal(user: string): Modal | undefined;
  /**
   * A person submits the modal that they see. An app that answers with nothing closes it.
   *
   * @param entered by label: texts, or the words of options
   * @param over parts of the payload in which it differs from Slack's
   */
  submit(
    user: string,
    entered: Readonly<Record<string, string | readonly string[]>>,
    over?: object,
  ): Promise<{ readonly status: number } & Partial<FormAnswer>>;
  /** A person closes the modal without submitting it. */
  dismiss(user: string): void;
  command(user: string, text: string): Promise<{ status: number; text: string }>;
  /** A person reacts to a message. Slack reports it to apps in the channel. */
  react(
    user: string,
    message: Pick<SlackMessage, 'ts' | 'user'>,
    channel: string,
    emoji: string,
  ): Promise<number>;
  /** A person uses a shortcut of a message, which Slack sends with it. */
  shortcut(user: string, message: SlackMessage, channel: string, id: string): Promise<number>;
  /** The workspace uninstalls the app; resolves with its answer. */
  uninstall(): Promise<number>;
  /** A person opens a conversation in the assistant's pane. */
  openPane(user: string): Promise<{ channel: string; thread: string; status: number }>;
  /** The prompts, title and status that the app has set in a conversation of the pane. */
  pane(thread: string): { prompts?: unknown; title?: string; status?: string };
  /** A person opens the App Home; resolves with the app's answer. */
  openHome(user: string): Promise<number>;
  /**
   * Messages of a thread, including its first one, or of the channel's top level.
   *
   * @param reader the person who reads; direct messages are seen only by those who take part in them. Default: `ada`
   */
  read(channel: string, thread?: string, reader?: string): Promise<SlackMessage[]>;
  /** The content of a user's App Home; undefined before it was published. */
  home(user: string): unknown;
  /** Ephemeral messages. */
  whispers(): readonly { user: string; text: string }[];
  /** Sends an event once more, with the headers of a retry. */
  again(said: SentMessage): Promise<number[]>;
  /** Answers calls of a method with 429 and this Retry-After, this many times. */
  limit(method: string, times: number, seconds: number): void;
  /** Refuses calls of a method with this error, this many times. */
  refuse(method: string, times: number, error: string): void;
  /** Sets the scopes of the app's token; at first it has all that a manifest may ask for. */
  grant(scopes: readonly string[]): void;
  /** A person deletes a message of the app. */
  remove(channel: string, ts: string): Promise<void>;
  stop(): Promise<void>;
}

/** The app's answer to a form (docs.slack.dev, "Modals", "response_action"). Empty if the form is closed. */
export interface FormAnswer {
  readonly response_action?: 'errors' | 'update';
  /** By block. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly view?: Modal;
}

/** A message of a person, and the app's answers to its events. */
export interface SentMessage {
  readonly channel: string;
  readonly ts: string;
  readonly events: readonly object[];
  readonly statuses: readonly number[];
}

export interface SlackOptions {
  /** Whether the streaming methods exist. Default: true. */
  readonly streams?: boolean;
  /** Whether the channel is shared with another organisation (Slack Connect), to which `mira` belongs. Default: false. */
  readonly shared?: boolean;
}
