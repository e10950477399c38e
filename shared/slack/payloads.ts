/**
 * The payloads of Slack, as far as they are read (docs.slack.dev: Events API, interaction payloads, slash commands,
 * OAuth v2). Slack adds fields at any time, so unknown ones are dropped and not refused. Ids are checked against their
 * alphabet: they become parts of keys and of links.
 */

import * as z from 'zod';

/** An id of Slack: of a workspace, a user, a channel, …. */
export const id = z.string().regex(/^[A-Z0-9]{1,32}$/, 'is not an id of Slack');
/** A message's id within its channel: epoch seconds with six digits. */
const ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/, 'is not a ts of Slack');
/** Slack cuts messages at 40,000 characters. */
const text = z.string().max(100_000).default('');

export const SlackFile = z.object({
  id,
  name: z.string().max(1_000).nullish(),
  mimetype: z.string().max(200).nullish(),
  size: z.number().nonnegative().nullish(),
  url_private: z.url().max(4_000).nullish(),
  url_private_download: z.url().max(4_000).nullish(),
  /** `file_access: check_file_info` marks a stub; the rest must be requested (files of Slack Connect). */
  file_access: z.string().max(100).nullish(),
});
export type SlackFile = z.output<typeof SlackFile>;

/** A block of Block Kit, in which texts are looked for (`attached.ts`). */
const blocks = z.array(z.looseObject({ type: z.string().max(100) })).max(100);
const words = z.string().max(40_000).nullish();

/**
 * The parts below a message: a forwarded message, a preview of a link, or what an app says (docs.slack.dev, "Secondary
 * message attachments"). A forward has `is_share`, and its author, channel and files; these fields are undocumented
 * (ColeMurray/background-agents#1146, NousResearch/hermes-agent#75481).
 */
export const SlackAttachment = z.object({
  is_share: z.boolean().nullish(),
  is_msg_unfurl: z.boolean().nullish(),
  author_id: id.nullish(),
  author_name: words,
  channel_id: id.nullish(),
  channel_name: words,
  pretext: words,
  title: words,
  title_link: words,
  text: words,
  fallback: words,
  footer: words,
  fields: z
    .array(z.object({ title: words, value: words }))
    .max(100)
    .nullish(),
  files: z.array(SlackFile).max(100).nullish(),
  blocks: blocks.nullish(),
  /** The blocks of a forwarded message. */
  message_blocks: z
    .array(z.object({ message: z.object({ blocks: blocks.nullish() }).nullish() }))
    .max(100)
    .nullish(),
});
export type SlackAttachment = z.output<typeof SlackAttachment>;

/** The fields of a message beside its text, in events and in histories. */
export const besideText = {
  files: z.array(SlackFile).max(100).optional(),
  attachments: z.array(SlackAttachment).max(100).optional(),
  blocks: blocks.optional(),
};

const said = {
  user: id.optional(),
  /** The teams of the author: `person.ts` explains them. */
  user_team: id.nullish(),
  source_team: id.nullish(),
  team: id.nullish(),
  bot_id: id.optional(),
  app_id: id.optional(),
  bot_profile: z.object({}).optional(),
  text,
  ts,
  /** For a message that has replies, its own `ts`. */
  thread_ts: ts.optional(),
  /** The author of the thread's first message. */
  parent_user_id: id.optional(),
  channel: id,
  channel_type: z.string().max(20).optional(),
  subtype: z.string().max(100).optional(),
  hidden: z.boolean().optional(),
  ...besideText,
  /** When the author edited the message. Slack makes changes of its own without it: previews of links. */
  edited: z.object({ ts }).nullish(),
};

const { channel: _, channel_type: __, ...saidBefore } = said;
/**
 * For `message_changed`: the message as it reads now, and as it read before. For `message_deleted`: as it read before. A message
 * with replies that is deleted comes as `message_changed`, and reads as a `tombstone` now.
 */
const changed = {
  message: z.object(saidBefore).nullish(),
  previous_message: z.object({ ...saidBefore, ts: ts.optional() }).nullish(),
  deleted_ts: ts.optional(),
};

/** The events that the manifest subscribes to (`local/slack/manifest.ts`). */
export const SlackEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('app_mention'), ...said }),
  z.object({ type: z.literal('message'), ...said, ...changed }),
  z.object({ type: z.literal('app_home_opened'), user: id, tab: z.string().max(20).optional() }),
  /** A person has opened a conversation in the assistant's pane (docs.slack.dev, assistant_thread_started). */
  z.object({
    type: z.literal('assistant_thread_started'),
    assistant_thread: z.object({
      user_id: id,
      channel_id: id,
      thread_ts: ts,
      /** The channel that the person looks at. */
      context: z.object({ channel_id: id.nullish() }).nullish(),
    }),
  }),
  /**
   * A person has reacted to a message, or to something else. The thread of a reply is not named (slackapi/bolt-js#1341). `item_user` is
   * absent for messages of apps.
   */
  z.object({
    type: z.literal('reaction_added'),
    user: id,
    reaction: z.string().min(1).max(200),
    item_user: id.nullish(),
    item: z.object({ type: z.string().max(100), channel: id.optional(), ts: ts.optional() }),
  }),
  z.object({ type: z.literal('app_uninstalled') }),
  z.object({
    type: z.literal('tokens_revoked'),
    tokens: z.object({ bot: z.array(id).max(1_000).optional() }).optional(),
  }),
]);
export type SlackEvent = z.output<typeof SlackEvent>;
/** The envelope of an event, as far as it says whose it is. */
const envelope = {
  /** Absent for what concerns a whole organisation. */
  team_id: id.nullish(),
  /** The organisation (Enterprise Grid) of the workspace `team_id`. */
  enterprise_id: id.nullish(),
  /** One installation that sees the event (docs.slack.dev, Events API, "authorizations"). */
  authorizations: z
    .array(
      z.object({
        team_id: id.nullish(),
        enterprise_id: id.nullish(),
        is_enterprise_install: z.boolean().nullish(),
      }),
    )
    .max(100)
    .nullish(),
  /** Whether its channel is shared with another organisation (Slack Connect). */
  is_ext_shared_channel: z.boolean().nullish(),
};
const Envelope = z.object(envelope);
export type EventEnvelope = z.output<typeof Envelope>;

export type SaidEvent = Extract<SlackEvent, { type: 'app_mention' | 'message' }>;

/** The body of `POST /slack/events`. */
export const EventRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('url_verification'), challenge: z.string().min(1).max(1_000) }),
  z.object({ type: z.literal('app_rate_limited'), team_id: id }),
  z.object({
    type: z.literal('event_callback'),
    ...envelope,
    /** The same for each delivery of an event. */
    event_id: z.string().min(1).max(100),
    /** Epoch seconds. */
    event_time: z.number().nonnegative().optional(),
    /** Parsed separately: an event of a kind that is not read is acknowledged all the same. */
    event: z.looseObject({ type: z.string().max(100) }),
  }),
]);

/** The field `payload` of `POST /slack/interactions`, for clicks. Other kinds are acknowledged and not read. */
export const BlockActions = z.object({
  type: z.literal('block_actions'),
  /** The workspace whose app the button is of, and its organisation. Absent where only the organisation is meant. */
  team: z.object({ id, enterprise_id: id.nullish() }).nullish(),
  enterprise: z.object({ id }).nullish(),
  is_enterprise_install: z.boolean().nullish(),
  /** `team_id`: the workspace or organisation of the user who clicked (`person.ts`). */
  user: z.object({ id, team_id: id.nullish() }),
  /** Opens a modal, within 3 s. */
  trigger_id: z.string().max(200).optional(),
  /** Absent in the App Home. */
  channel: z.object({ id }).optional(),
  message: z.object({ ts, thread_ts: ts.optional() }).optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string().max(255),
        value: z.string().max(2_000).optional(),
        action_ts: ts.optional(),
      }),
    )
    .min(1)
    .max(25),
  /** The state of the message's menus. */
  state: z
    .object({
      values: z
        .record(
          z.string(),
          z.record(
            z.string(),
            z.object({
              selected_options: z
                .array(z.object({ value: z.string().max(150) }))
                .max(100)
                .nullish(),
            }),
          ),
        )
        .optional(),
    })
    .optional()
    .catch(undefined),
});
export type BlockActions = z.output<typeof BlockActions>;

/** The field `payload` of `POST /slack/interactions` when a person uses a shortcut of a message (docs.slack.dev, "Shortcuts interaction payloads"). */
export const MessageAction = z.object({
  type: z.literal('message_action'),
  callback_id: z.string().min(1).max(255),
  /** The id of this one use. */
  trigger_id: z.string().min(1).max(200),
  team: z.object({ id, enterprise_id: id.nullish() }).nullish(),
  enterprise: z.object({ id }).nullish(),
  is_enterprise_install: z.boolean().nullish(),
  user: z.object({ id, team_id: id.nullish() }),
  channel: z.object({ id }),
  message: z.object({
    user: id.optional(),
    bot_id: id.optional(),
    text,
    ts,
    thread_ts: ts.optional(),
    ...besideText,
  }),
});
export type MessageAction = z.output<typeof MessageAction>;

/** The form of `POST /slack/commands`. */
export const SlashCommand = z.object({
  team_id: id,
  enterprise_id: id.optional().catch(undefined),
  is_enterprise_install: z.string().max(10).optional(),
  channel_id: id,
  user_id: id,
  command: z.string().max(100),
  text,
  /** The id of this one use of the command: its idempotency key. */
  trigger_id: z.string().min(1).max(200),
});
export type SlashCommand = z.output<typeof SlashCommand>;
