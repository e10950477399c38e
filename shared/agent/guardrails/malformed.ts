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

/** Replies of a run, beside whose calls another one was written, of which the model is told. */
const MAX_TOLD = 5;

/**
 * Refuses a reply that writes its tool call as text or in a broken form (H19). Recovery tells the right form (H16). Where it
 * has made other calls they run, and the model is told with their results that this one did not.
 */
export const malformedGuard = defineGuard<{ told: number }>({
  name: 'malformed',
  scope: 'run',
  initial: { told: 0 },
  hooks: {
    reply: ({ told }, { reply }) =>
      reply.malformed && reply.calls.length > 0 && reply.stop !== 'max_tokens' && told < MAX_TOLD
        ? {
            state: { told: told + 1 },
            verdict: { kind: 'nudge', code: 'malformed_call', text: texts.callBeside(reply.malformed) },
          }
        : undefined,
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
