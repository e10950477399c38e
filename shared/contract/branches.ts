import * as z from 'zod';
import { called } from './listing-queries.ts';
import { MessageContent } from './message.ts';

/** `POST /sessions/{sessionId}/fork`; without a body it shares all whole steps, and rests. */
export const ForkBody = z.strictObject({
  /** A slot of the last step that it shares, as `GET /sessions/{sessionId}/steps` names them; the last whole step when absent. */
  slot: z.int().nonnegative().optional(),
  /** What is said first in it. It rests until somebody says something when absent. */
  message: MessageContent.optional(),
  /** As the session that it is forked from when absent. */
  title: called.title,
});
export type ForkBody = z.infer<typeof ForkBody>;

/** `POST /sessions/{sessionId}/edit` */
export const EditBody = z.strictObject({
  /** Of a person, as `GET /sessions/{sessionId}/messages` has it. */
  messageId: z.string().min(1).max(300),
  /** In its place. What was sent with it goes along, unless this sends something. */
  message: MessageContent,
});
export type EditBody = z.infer<typeof EditBody>;
