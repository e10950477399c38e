import * as z from 'zod';
import { AgentName } from './session.ts';

const id = z.string().min(1).max(256);

/**
 * The body of `POST /agui`: the fields of AG-UI's RunAgentInput that are used here. The protocol lets its producers add
 * fields, so unknown ones are left out and not refused.
 */
export const RunAgentInput = z.object({
  threadId: id,
  runId: id,
  /** Only the last user message of these can be new: the history is the server's. */
  messages: z
    .array(
      z.object({
        id,
        role: z.string().max(64),
        content: z.unknown().optional(),
        /** For a page's answer to a call: the id of the call, and why the page could not carry it out. */
        toolCallId: z.string().max(256).optional().catch(undefined),
        error: z.string().optional().catch(undefined),
      }),
    )
    .max(100_000),
  /** Tools that the page runs, what it shows, and its state (`page.ts`). */
  tools: z.unknown().optional(),
  context: z.unknown().optional(),
  state: z.unknown().optional(),
  resume: z
    .array(
      z.object({
        interruptId: id,
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(100)
    .optional(),
  forwardedProps: z
    .object({
      agent: AgentName.optional(),
      mode: z.enum(['act', 'plan']).optional().catch(undefined),
      /** Time zone of the page, by its IANA name. */
      zone: z.string().max(64).optional().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
export type RunAgentInput = z.infer<typeof RunAgentInput>;

/** Largest body in bytes: AG-UI clients send the whole conversation each time. Lambda itself takes 6 MB. */
export const MAX_RUN_INPUT_BYTES = 5 * 1024 * 1024;
