import { defineGuard } from './guard.ts';

/** Ends a run whose step keeps killing its worker. The attempt is counted before anything is spent. */
export const crashLoopGuard = (maxAttempts: number) =>
  defineGuard({
    name: 'crash_loop',
    scope: 'run',
    initial: {},
    hooks: {
      preflight: (_state, { attempts }) =>
        attempts > maxAttempts
          ? {
              verdict: {
                kind: 'halt',
                state: 'error',
                reason: 'crash_loop',
                code: 'crash_loop',
                message: `The step was started ${maxAttempts} times and never finished.`,
              },
            }
          : undefined,
    },
  });
