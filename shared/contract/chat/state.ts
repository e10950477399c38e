import * as z from 'zod';

/** Ids of things of one session, as its events have them. */
const ids = z.array(z.string().max(256)).max(100_000);

/**
 * The record of everything that a client of `POST /chat` has received, on which the next chunks depend. It goes to the
 * client when an answer must end before the run does, and comes back with `POST /chat/{chatId}/stream`. It affects only
 * what that client is sent.
 */
export const ChatState = z.strictObject({
  /** The id of the message that is being sent. */
  answer: z.string().max(256),
  /** Whether its beginning was sent. */
  begun: z.boolean(),
  /** The user's message that it answers; absent when it continues an earlier answer. */
  own: z.string().max(256).optional(),
  /** Nothing is sent before this message of the user's is read: earlier events belong to the turn before. */
  until: z.string().max(256).optional(),
  /**
   * Whether each message of a user begins another answer, as clients that resume expect; otherwise it stands inside of
   * this one.
   */
  splits: z.boolean(),
  /** Messages, stretches of thinking, calls and results that were sent. */
  told: ids,
  /** Those of them that `reset-step` would remove. */
  step: ids,
  /** Whether the current step has its `start-step`. */
  stepOpen: z.boolean(),
  /** Messages and stretches of thinking that are open. */
  open: ids,
  /** Approvals that the client knows of. */
  asked: ids,
});
export type ChatState = z.infer<typeof ChatState>;

/** The body of `POST /chat/{chatId}/stream`: the last value of `data-steploop-reconnect`, unchanged. */
export const ChatResume = z.strictObject({
  /** Cursor: the seq of the last frame that was sent. */
  after: z.number().int().nonnegative(),
  state: ChatState,
});
export type ChatResume = z.infer<typeof ChatResume>;
