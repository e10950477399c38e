import * as z from 'zod';
import { texts } from '../texts.ts';
import { defineGuard } from './guard.ts';

/** How a reply is read (H19). */
export const Parsing = z.strictObject({
  /** Thinking in `<think>`, `<thinking>` or `<reasoning>` tags: taken out of the stored text and kept apart, or left. */
  reasoningTags: z.enum(['strip', 'keep']).default('strip'),
  /** A tool call written as text where no call was made: fails the reply, which recovery may consume, or is text. */
  malformedCalls: z.enum(['fail', 'accept']).default('fail'),
});
export type Parsing = z.output<typeof Parsing>;

/** Refuses a reply that writes its tool call as text or in a broken form (H19). Recovery tells the right form (H16). */
export const malformedGuard = defineGuard({
  name: 'malformed',
  scope: 'run',
  initial: {},
  hooks: {
    complete: (_state, { reply, textOnly }) =>
      reply.malformed && reply.stop !== 'max_tokens' && !textOnly
        ? {
            verdict: {
              kind: 'halt',
              state: 'error',
              reason: 'model_error',
              code: 'malformed_tool_call',
              message: 'The model wrote a tool call as text, or in a form that is none.',
              recover: { scenario: 'malformed_tool_call', text: texts.callFormat(reply.malformed) },
            },
          }
        : undefined,
  },
});
