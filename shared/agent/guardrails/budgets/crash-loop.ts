import { builtIn } from '../guard-codes.ts';

/** Ends a run whose step keeps killing its worker. Attempts are counted before anything is spent. */
export const crashLoopGuard = (maxAttempts: number) =>
  builtIn({
    name: 'crash_loop',
    scope: 'run',
    urgent: true,
    initial: {},
    hooks: {
      preflight: (_state, { attempts, abandoned }) =>
        attempts > maxAttempts || abandoned
          ? {
              verdict: {
                kind: 'halt',
                state: 'error',
                reason: 'crash_loop',
                code: 'crash_loop',
                message: told(attempts - 1),
              },
            }
          : undefined,
    },
  });

/** The attempt that ends the run does not count as one at the step. */
const told = (times: number): string => {
  if (times === 0) return 'The step could not be started: its workers died before they could begin.';
  return times === 1
    ? 'The step was started once and did not finish.'
    : `The step was started ${times} times and never finished.`;
};
