import type * as z from 'zod';
import type { StatusOnly } from '../../config/replies.ts';
import { textOf } from '../../session/reply.ts';
import { guardTexts } from '../../texts/guards.ts';
import { isStatusOnly } from '../../words/prose.ts';
import { builtIn } from '../guard-codes.ts';

/** Asks for substance when a run that has used tools answers with a mere status. */
export const statusOnlyGuard = ({ max }: z.output<typeof StatusOnly>) =>
  builtIn<'status_only', { nudges: number }>({
    name: 'status_only',
    scope: 'run',
    initial: { nudges: 0 },
    hooks: {
      complete: ({ nudges }, { reply, session, textOnly }) => {
        if (max === 0 || textOnly || reply.stop === 'max_tokens' || (session.run?.toolCalls ?? 0) === 0)
          return undefined;
        if (!isStatusOnly(textOf(reply.content))) return undefined;
        if (nudges >= max)
          return { verdict: { kind: 'flag', code: 'status_only_accepted', reason: 'completed' } };
        return {
          state: { nudges: nudges + 1 },
          verdict: { kind: 'nudge', code: 'status_only', text: guardTexts.onlyStatus },
        };
      },
    },
  });
