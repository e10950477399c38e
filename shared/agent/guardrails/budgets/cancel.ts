import { builtIn } from '../guard-codes.ts';

/** Ends a run that was cancelled. Runs before all other checks. */
export const cancelGuard = builtIn({
  name: 'cancel',
  scope: 'run',
  urgent: true,
  initial: {},
  hooks: {
    preflight: (_state, { cancelled }) =>
      cancelled
        ? {
            verdict: {
              kind: 'halt',
              state: 'cancelled',
              reason: 'cancelled',
              code: 'cancelled',
              message: 'The run was cancelled.',
            },
          }
        : undefined,
  },
});
