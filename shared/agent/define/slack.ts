/** The Slack part of a definition: which agent answers where. Each agent says who may decide (docs/identity.md). */

/** The place and the author of a message. Ids are Slack's. */
export interface SlackRequest {
  /** The workspace that installed the app. */
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  /**
   * The user's own workspace, or their organisation (`E…`) if Slack says no more: `team` for people of the organisation that has
   * installed the app.
   */
  readonly userTeam: string;
  /**
   * Whether the user belongs to another organisation that shares the channel (Slack Connect), or to one that Slack does not name.
   */
  readonly external: boolean;
  /** Whether the channel is shared with another organisation; undefined if Slack has not said. */
  readonly shared?: boolean;
  /**
   * `reply`: a message without a mention in a thread of a channel in which the bot takes part. `reaction`, `shortcut`: the user has given
   * the agent a message, mostly of another person.
   */
  readonly kind: 'mention' | 'direct' | 'command' | 'reply' | 'reaction' | 'shortcut';
  /** The emoji or the id of the shortcut, one of `reactions` or `shortcuts`. */
  readonly trigger?: string;
  /** Id of the bot or workflow that wrote the message, one of `bots`; undefined for a person. */
  readonly bot?: string;
}

/** A conversation that a person has opened in the assistant's pane. Ids are Slack's. */
export interface SlackConversation {
  readonly team: string;
  readonly user: string;
  /** The channel that the person looks at, if Slack says so. The bot may not be in it. */
  readonly viewing?: string;
}

/** A deployment's settings for Slack (docs/slack.md). */
export interface SlackConfig {
  /** The agent that answers a request, by name; undefined to stay silent. A thread keeps the agent it began with. */
  readonly agentFor: (request: SlackRequest) => string | undefined;
  /** The assistant's pane (docs/slack.md). The manifest must ask for it: `steploop slack manifest --assistant`. Off when absent. */
  readonly assistant?: {
    /** Up to four suggestions that a new conversation shows: their words, and the message that is sent when one is chosen. */
    readonly prompts?: (opened: SlackConversation) => readonly { title: string; message: string }[];
  };
  /**
   * Whether replies without a mention are answered, in threads in which the bot takes part. Replies that mention others, and those of
   * bots, are not. The manifest must ask for the events: `steploop slack manifest --thread-replies`. None are when absent.
   */
  readonly replies?: (request: SlackRequest) => boolean;
  /**
   * Whether a finished answer has two buttons with which people rate it. Ratings are stored with the session (docs/slack.md). None when
   * absent.
   */
  readonly feedback?: boolean;
  /**
   * Whether a run's tasks and tool calls are shown as task cards in a message of their own, with their names and how they stand
   * (docs/slack.md). The status names the tools that run otherwise. Off when absent.
   */
  readonly taskCards?: boolean;
  /**
   * Reactions with which people give a message to an agent: what is asked of the agent, by the name of the emoji without colons and skin
   * tone (`memo`). The manifest must ask for them: `steploop slack manifest --reactions`. None when absent.
   */
  readonly reactions?: Readonly<Record<string, string>>;
  /**
   * Shortcuts in the menu of every message, by callback id, at most ten: their name in the menu, and what is asked of the agent. The
   * manifest must name each: `steploop slack manifest --shortcut ID=TITLE`. None when absent.
   */
  readonly shortcuts?: Readonly<Record<string, { readonly title: string; readonly asks: string }>>;
  /**
   * Ids of bots (`B…`) and apps (`A…`), workflows among them, whose mentions are answered like those of people. After ten messages of
   * bots in a row in one thread, or 30 in an hour at a channel's top level, further ones are ignored, so that two bots cannot answer
   * each other for ever. None when absent.
   */
  readonly bots?: readonly string[];
}
