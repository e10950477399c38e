/** Files of a session's workspace that an agent gives to people: the result of the tool `send_files`, which channels read from the events. */

import * as z from 'zod';

/** Name of the tool. */
export const SEND_FILES = 'send_files';
/** Most files of one call. */
export const MAX_SENT = 10;

export const SentFile = z.object({
  name: z.string().min(1).max(1_000),
  /** Its content, as the call found it. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type SentFile = z.output<typeof SentFile>;
export const SentFiles = z.object({ sent: z.array(SentFile).min(1).max(MAX_SENT) });
