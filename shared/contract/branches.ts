import * as z from 'zod';
import { called } from './listing-queries.ts';
import { MessageContent } from './message.ts';

/** Parts of the definition that the new session has in place of those of the other one. */
export const Instead = z.strictObject({
  /** The whole system prompt, as `GET /sessions/{sessionId}/steps/{slot}/request` shows it. */
  system: z.string().min(1).max(100_000).optional(),
  /** Name of a model at the same server. The new session has no fallbacks then. */
  model: z.string().min(1).max(200).optional(),
});
export type Instead = z.infer<typeof Instead>;

/** `POST /sessions/{sessionId}/fork`; without a body it shares all whole steps, and rests. */
export const ForkBody = z.strictObject({
  /**
   * A slot of the last step that the fork shares, as `GET /sessions/{sessionId}/steps` names them; the last whole step
   * when absent.
   */
  slot: z.int().nonnegative().optional(),
  /** The first message of the fork. When absent, the fork rests until it gets one. */
  message: MessageContent.optional(),
  /** The title of the original session when absent. */
  title: called.title,
  instead: Instead.optional(),
});
export type ForkBody = z.infer<typeof ForkBody>;

/** `POST /sessions/{sessionId}/edit` */
export const EditBody = z.strictObject({
  /** The id of a person's message, as in `GET /sessions/{sessionId}/messages`. */
  messageId: z.string().min(1).max(300),
  /** The replacement. Attachments of the original message are kept, unless this one has its own. */
  message: MessageContent,
  instead: Instead.optional(),
});
export type EditBody = z.infer<typeof EditBody>;
