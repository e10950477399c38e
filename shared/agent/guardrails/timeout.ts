import { builtIn } from './said.ts';

/** Ends a run that has taken longer than its limit, strictly; waits for people do not count (A3). 0 = off. */
export const timeoutGuard = (timeoutSeconds: number) =>
  builtIn({
    name: 'timeout',
    scope: 'run',
    urgent: true,
    initial: {},
    hooks: {
      preflight: (_state, { session, now }) => {
        if (!session.run || timeoutSeconds === 0) return undefined;
        const elapsedMs = now - session.run.startedAt - session.run.pausedMs;
        if (elapsedMs <= timeoutSeconds * 1000) return undefined;
        return {
          verdict: {
            kind: 'halt',
            state: 'timed_out',
            reason: 'timed_out',
            code: 'timed_out',
            message: `The run took longer than its limit of ${timeoutSeconds} s.`,
            metadata: { limits: { timeoutSeconds } },
          },
        };
      },
    },
  });
