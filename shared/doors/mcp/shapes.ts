/** Input and output of a call of an agent. */

import * as z from 'zod';
import { MAX_TEXT } from '../../contract/message.ts';
import { reasons, SessionId, states } from '../../contract/session.ts';

export const AskInput = z
  .strictObject({
    message: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .optional()
      .describe('The message to the agent. Without it, a session is waited for.'),
    session: SessionId.optional().describe('The session to go on with, as an earlier call answered it.'),
  })
  .refine(({ message, session }) => message !== undefined || session !== undefined, {
    error: 'give a message, or the session to wait for',
  });
export type AskInput = z.infer<typeof AskInput>;

export const AskOutput = z.strictObject({
  session: z.string().describe('To go on with.'),
  state: z.enum(states),
  reason: z.enum(reasons).optional(),
  answer: z.string().optional().describe('The last message of the agent.'),
  object: z.unknown().optional().describe('The answer of an agent that answers with an object.'),
  asks: z
    .array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(['approval', 'question', 'plan']),
        tool: z.string(),
        message: z.string(),
        expiresAt: z.string(),
      }),
    )
    .optional()
    .describe('Requests that people must decide before it goes on.'),
});
export type AskOutput = z.infer<typeof AskOutput>;

/**
 * State that a call gives to its client when it asks people, and gets back with their answers. A client can forge it, but reaches
 * only what its own token may see.
 */
export const AskState = z.strictObject({
  session: SessionId,
  /** Seq of the last reported event. */
  after: z.int().nonnegative(),
});
export type AskState = z.infer<typeof AskState>;
