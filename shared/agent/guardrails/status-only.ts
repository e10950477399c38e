import * as z from 'zod';
import { textOf } from '../reply.ts';
import { texts } from '../texts.ts';
import { defineGuard } from './guard.ts';
import { isStatusOnly } from './prose.ts';

/** What is done about answers such as "Done." after work with tools (H5). */
export const StatusOnly = z.strictObject({
  /** Such answers of a run that are sent back; then they are accepted; 0 = off (H5: 2). Off: some tasks ask for an "OK". */
  max: z.int().min(0).max(100).default(0),
});

/** Asks for substance when a run that has used tools answers with a mere status (H5). */
export const statusOnlyGuard = ({ max }: z.output<typeof StatusOnly>) =>
  defineGuard<{ nudges: number }>({
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
          verdict: { kind: 'nudge', code: 'status_only', text: texts.onlyStatus },
        };
      },
    },
  });
