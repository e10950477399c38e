import * as z from 'zod';

/** Ids of things of one session, as its events have them. */
const ids = z.array(z.string().max(256)).max(100_000);

/**
 * What a client of `POST /chat` has been told: all that the next chunks depend on. It goes to the client when an answer must
 * end before the run does, and comes back with `POST /chat/{chatId}/stream`; it decides on nothing but what that client is told.
 */
export const ChatState = z.strictObject({
  /** The id of the message that is being told. */
  answer: z.string().max(256),
  /** Whether its beginning was told. */
  begun: z.boolean(),
  /** The user's message that it answers; absent when it goes on with an answer of before. */
  own: z.string().max(256).optional(),
  /** Nothing is told before this message of the user's is read: what comes is of the turn before. */
  until: z.string().max(256).optional(),
  /** Whether each message of a user begins another answer, as clients take it that resume; or else stands inside of this one. */
  splits: z.boolean(),
  /** Messages, stretches of thinking, calls and results that were told. */
  told: ids,
  /** Those of them that `reset-step` would take away. */
  step: ids,
  /** Whether the step that goes on has its `start-step`. */
  stepOpen: z.boolean(),
  /** Messages and stretches of thinking that are open. */
  open: ids,
  /** Approvals that the client knows of. */
  asked: ids,
});
export type ChatState = z.infer<typeof ChatState>;

/** The body of `POST /chat/{chatId}/stream`: what `data-steploop-reconnect` said last, as it came. */
export const ChatResume = z.strictObject({
  /** Cursor: the seq of the last frame that was told. */
  after: z.number().int().nonnegative(),
  state: ChatState,
});
export type ChatResume = z.infer<typeof ChatResume>;
