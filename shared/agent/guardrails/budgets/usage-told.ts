import { builtIn } from '../guard-codes.ts';

/**
 * Says once in a session that its figures are estimates, because a server does not report the usage of its replies. Budgets count
 * the estimate, and readers of the totals should know that.
 */
export const usageToldGuard = builtIn<'usage', { warned: boolean }>({
  name: 'usage',
  scope: 'session',
  initial: { warned: false },
  hooks: {
    reply: ({ warned }, { reply }) =>
      reply.estimated && !warned
        ? {
            state: { warned: true },
            verdict: {
              kind: 'warn',
              code: 'usage_estimated',
              message:
                'The model server did not tell what a reply used: its tokens, and what they cost, are estimated (4 characters a token). Budgets count the estimates.',
            },
          }
        : undefined,
  },
});
