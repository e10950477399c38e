import type * as z from 'zod';
import type { Answering } from '../../config/replies.ts';
import { builtIn } from '../guard-codes.ts';

/**
 * Sends back an answer that does not match the agent's schema, up to the limit. After that the run ends as `answer_invalid`, even
 * if other guards accept the reply; the step decides this once no guard sends the reply back.
 */
export const answerGuard = ({ maxRepairs }: z.output<typeof Answering>) =>
  builtIn<'answer', { repairs: number }>({
    name: 'answer',
    scope: 'run',
    initial: { repairs: 0 },
    hooks: {
      complete: ({ repairs }, { answer }) => {
        const given = answer?.();
        if (!given) return undefined;
        if (given.kind === 'fits') return repairs > 0 ? { state: { repairs: 0 } } : undefined;
        if (repairs >= maxRepairs) return undefined;
        return {
          state: { repairs: repairs + 1 },
          verdict: { kind: 'nudge', code: 'answer_unfit', text: repair(given.issues) },
        };
      },
    },
  });

const repair = (issues: readonly string[]): string =>
  `[steploop] Answer: your reply is not the JSON object that was asked for, so the program that reads it cannot use it.\n${issues.map((issue) => `- ${issue}`).join('\n')}\nIf work is left to do, do it first. Then reply with the whole object, put right, and nothing else.`;
