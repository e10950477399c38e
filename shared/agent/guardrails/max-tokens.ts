import { texts } from '../texts.ts';
import { defineGuard } from './guard.ts';

/**
 * Asks a reply that was cut at the output limit to go on, up to `recoveries` times in a row (A15, U2). After
 * that the cut text is taken as the answer, and the run says that it was truncated.
 */
export const maxTokensGuard = (recoveries: number) =>
  defineGuard<{ used: number }>({
    name: 'max_tokens',
    scope: 'streak',
    initial: { used: 0 },
    hooks: {
      reply: (_state, { reply }) => (reply.stop === 'max_tokens' ? undefined : { state: { used: 0 } }),
      complete: ({ used }, { reply }) => {
        if (reply.stop !== 'max_tokens') return undefined;
        if (used >= recoveries) {
          return { verdict: { kind: 'flag', code: 'max_tokens', reason: 'completed_truncated' } };
        }
        return {
          state: { used: used + 1 },
          verdict: { kind: 'nudge', code: 'max_tokens_recovery', text: texts.resumeAfterCut },
        };
      },
    },
  });
