import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

/** Replies of a run with a malformed call beside valid ones that the model is told about. */
const MAX_TOLD = 5;

/**
 * Refuses a reply that writes its tool call as text or in a broken form. Recovery tells the model the right form. If the reply
 * has other calls, they run, and the model is told with their results that this one did not.
 */
export const malformedGuard = builtIn<'malformed', { told: number }>({
  name: 'malformed',
  scope: 'run',
  initial: { told: 0 },
  hooks: {
    reply: ({ told }, { reply }) =>
      reply.malformed && reply.calls.length > 0 && reply.stop !== 'max_tokens' && told < MAX_TOLD
        ? {
            state: { told: told + 1 },
            verdict: { kind: 'nudge', code: 'malformed_call', text: guardTexts.callBeside(reply.malformed) },
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
              recover: { scenario: 'malformed_tool_call', text: guardTexts.callFormat(reply.malformed) },
            },
          }
        : undefined,
  },
});
