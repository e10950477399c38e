import { defineGuard } from './guard.ts';

/**
 * Ends a run that has worked for more than `seconds`, strictly, when it is about to run a tool (L7). Work is time in
 * model calls and tools, as committed: waits on the queue and for people are none. 0 = off.
 */
export const activeTimeGuard = (seconds: number) =>
  defineGuard({
    name: 'active_time',
    scope: 'run',
    initial: {},
    hooks: {
      call: (_state, { session, call }) =>
        seconds > 0 && (session.run?.activeMs ?? 0) > seconds * 1000
          ? {
              verdict: {
                kind: 'halt',
                state: 'timed_out',
                reason: 'timed_out',
                code: 'time_exceeded',
                message: `The run has worked for more than its limit of ${seconds} s.`,
                metadata: { tool: call.name, limits: { activeTurnSeconds: seconds } },
              },
            }
          : undefined,
    },
  });
