import { defineTool } from 'steploop';
import * as z from 'zod';

/** The tool of the samples, without dependencies. */
export const countWords = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  input: z.object({ text: z.string().max(10_000) }),
  effect: 'read',
  run: ({ text }) => ({ words: text.split(/\s+/).filter((word) => word !== '').length }),
});
