import * as z from 'zod';
import { SlackFile } from './payloads.ts';

const id = z.string().min(1).max(64);
const text = z.string().max(100_000);
const place = z.strictObject({ team: id, channel: id, thread: id.optional() });

/** Work that Slack need not wait for: the body of every message on the queue of Slack jobs. */
export const SlackJob = z.discriminatedUnion('kind', [
  /**
   * A message with more than its words: its files, and the thread if it is the first message of the session. They are
   * read before the session gets it.
   */
  z.strictObject({
    kind: z.literal('message'),
    message: z.strictObject({
      place,
      kind: z.enum(['mention', 'direct', 'reply']),
      user: id,
      // Absent in messages from before they were kept.
      userTeam: id.optional(),
      external: z.boolean().default(false),
      shared: z.boolean().optional(),
      text,
      ts: id,
      parent: id.optional(),
      workspace: id.optional(),
      files: z.array(SlackFile).max(1_000),
      attached: text.optional(),
      bot: id.optional(),
    }),
    tries: z.int().nonnegative(),
  }),
  /** A session that a slash command requested: it gets a message on which its thread hangs. */
  z.strictObject({
    kind: z.literal('command'),
    team: id,
    /** The workspace where it was used, if an organisation installed the app. */
    workspace: id.optional(),
    channel: id,
    user: id,
    text,
    /** Names this use of the command. */
    trigger: z.string().max(200),
    /** Distinguishes jobs: the first one for a use begins a session. Absent in jobs from before it was kept. */
    owner: id.optional(),
    /** Epoch ms. */
    at: z.number(),
    tries: z.int().nonnegative(),
  }),
  /** A message that a person has given to the bot, with a reaction or a shortcut. */
  z.strictObject({
    kind: z.literal('trigger'),
    how: z.enum(['reaction', 'shortcut']),
    /** The emoji, or the id of the shortcut. */
    name: z.string().max(255),
    team: id,
    channel: id,
    /** The message. */
    ts: id,
    person: z.strictObject({ user: id, userTeam: id, external: z.boolean() }),
    shared: z.boolean().optional(),
    /** The workspace where it was used, if an organisation installed the app. */
    workspace: id.optional(),
    /** Names this use: the same use counts once. */
    use: z.string().max(300),
    /** The message as the model reads it, and its thread, if Slack has sent them. */
    message: z.strictObject({ quoted: text, thread: id.optional() }).optional(),
    /** Epoch ms. */
    at: z.number(),
    tries: z.int().nonnegative(),
  }),
  /** A user opened the App Home. `notice` (mrkdwn) stands at its top. */
  z.strictObject({
    kind: z.literal('home'),
    team: id,
    user: id,
    notice: z.string().max(500).optional(),
    tries: z.int().nonnegative(),
  }),
  /** A conversation of the assistant's pane: it was opened, or its first message gives it a title. */
  z.strictObject({
    kind: z.literal('pane'),
    place: place.required(),
    user: id,
    viewing: id.optional(),
    title: z.string().max(500).optional(),
    tries: z.int().nonnegative(),
  }),
  /**
   * A message of ours where `place` is, once for all jobs of this `id`. `owner` distinguishes jobs, `at` (epoch ms) is
   * when it was sent. `text` is mrkdwn.
   */
  z.strictObject({
    kind: z.literal('say'),
    place,
    id: z.string().max(200),
    owner: id,
    text,
    at: z.number(),
    tries: z.int().nonnegative(),
  }),
  /** A message that only one user sees. `text` is mrkdwn. */
  z.strictObject({ kind: z.literal('whisper'), place, user: id, text, tries: z.int().nonnegative() }),
  /** The app was uninstalled at `at` (epoch ms). */
  z.strictObject({ kind: z.literal('uninstall'), team: id, at: z.number(), tries: z.int().nonnegative() }),
  /** Stops the runs that Slack began in a workspace that uninstalled the app at `at`: sessions after `after`. */
  z.strictObject({
    kind: z.literal('stop'),
    tenant: z.string().min(1).max(64),
    team: id,
    at: z.number(),
    after: z.string().max(200),
    tries: z.int().nonnegative(),
  }),
]);
export type SlackJob = z.output<typeof SlackJob>;

/**
 * The queue of Slack jobs. Each comes at least once, after `delayMs`, which is rounded up to seconds; at most 900,000 (SQS).
 * Rejects when the queue cannot be reached: the job may come all the same.
 */
export interface SlackJobs {
  send(job: SlackJob, delayMs?: number): Promise<void>;
}
