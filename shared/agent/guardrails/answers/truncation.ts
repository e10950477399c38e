import type * as z from 'zod';
import type { Truncation } from '../../config/replies.ts';
import type { Coded, Halt, Nudge } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

type Config = Pick<z.output<typeof Truncation>, 'max' | 'scope' | 'onExhausted'>;

/** Asks the model to continue a reply that was cut at the output limit, and says that the limit was the cause. */
export const truncationGuard = ({ max, scope, onExhausted }: Config, goOn: string) =>
  builtIn<'truncation', { used: number }>({
    name: 'truncation',
    scope: scope === 'session' ? 'session' : scope === 'run' ? 'run' : 'streak',
    initial: { used: 0 },
    hooks: {
      reply: ({ used }, { reply }) => {
        if (reply.stop !== 'max_tokens') {
          const inARow = scope === 'streak' || scope === 'step';
          return inARow && used > 0 ? { state: { used: 0 } } : undefined;
        }
        // Complete calls run all the same. A call that was cut after them counts, and is asked for again with their results.
        if (reply.calls.length === 0) return undefined;
        if (used >= max) return { verdict: failed('Its tool calls were cut off again and again.') };
        return {
          state: { used: used + 1 },
          verdict: resume('truncated_calls', guardTexts.resumeAfterCutCalls),
        };
      },
      complete: ({ used }, { reply, textOnly }) => {
        if (reply.stop !== 'max_tokens') return undefined;
        const callsCut = !textOnly && (reply.cutCalls ?? false);
        if (used < max) {
          const verdict = callsCut
            ? resume('truncated_calls', guardTexts.smallerArguments)
            : resume('max_tokens_recovery', goOn);
          return { state: { used: used + 1 }, verdict };
        }
        if (onExhausted === 'model_error' || (onExhausted === 'by_kind' && callsCut)) {
          return { verdict: failed(`${used + 1} replies were cut off at the output limit.`) };
        }
        const message = 'The answer was cut at the output limit.';
        return { verdict: { kind: 'flag', code: 'max_tokens', reason: 'completed_truncated', message } };
      },
    },
  });

const resume = <Code extends string>(code: Code, text: string): Coded<Nudge, Code> => ({
  kind: 'nudge',
  code,
  text,
});
const failed = (message: string): Coded<Halt, 'truncation'> => ({
  kind: 'halt',
  state: 'error',
  reason: 'model_error',
  code: 'truncation',
  message,
});
