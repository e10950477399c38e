/** Bodies of the HTTP API for pages: the tools and the material of a message, and answers to calls (docs/page-tools.md). */

import * as z from 'zod';
import { AddMessage, CreateSession } from './http.ts';
import { MAX_TEXT } from './message.ts';

/**
 * The page of a message. `offerOf` (`page.ts`) bounds its parts and leaves out what cannot be used, so that a flaw of a page does
 * not cost its user the message.
 */
export const PageBody = z.strictObject({
  /** Tools that the page runs: a list of `{ name, description, parameters }`, or an object by names. */
  tools: z.unknown().optional(),
  /** Descriptions and values that the page shows, for the model. */
  context: z.unknown().optional(),
  /** State of the page, for the model. */
  state: z.unknown().optional(),
});
export type PageBody = z.infer<typeof PageBody>;

const page = PageBody.optional();

/** `POST /sessions` */
export const CreateSessionBody = CreateSession.extend({ page });
export type CreateSessionBody = z.infer<typeof CreateSessionBody>;

/** `POST /sessions/{sessionId}/messages` */
export const AddMessageBody = AddMessage.extend({ page });

const toolCallId = z.string().min(1).max(256);

/** `POST /sessions/{sessionId}/answers`: the result of a call that waits for its page, any JSON, or why the page could not carry it out. */
export const PageAnswerBody = z.union(
  [
    z.strictObject({
      toolCallId,
      result: z.unknown().refine((value) => value !== undefined, 'is missing'),
    }),
    z.strictObject({ toolCallId, error: z.string().trim().min(1, 'must not be empty').max(MAX_TEXT) }),
  ],
  {
    error: 'must be { "toolCallId": …, "result": … } or { "toolCallId": …, "error": "…" }, and nothing else',
  },
);
export type PageAnswerBody = z.infer<typeof PageAnswerBody>;
