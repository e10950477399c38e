import * as z from 'zod';
import { defineTool } from './tool.ts';

/** Asks the people of the session a question. The run waits for the answer without compute; a message counts as the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  description:
    'Ask the user a question and wait for the answer. Use it when you cannot go on without knowing, not for progress reports.',
  effect: 'read',
  where: 'person',
  input: z.object({
    question: z.string().min(1).max(2_000),
    /** Answers to choose from. */
    options: z.array(z.string().min(1).max(200)).max(10).optional(),
  }),
  run: () => {
    throw new Error('a person answers this');
  },
});
