import { builtIn } from '../guard-codes.ts';

/**
 * Ends a run that has taken longer than its limit, and warns once before that. Waits for people do not count. 0 = off.
 *
 * @param soft share of the limit at which it warns; 0 = no warning
 */
export const timeoutGuard = (timeoutSeconds: number, soft: number) =>
  builtIn<'timeout', { warned: boolean }>({
    name: 'timeout',
    scope: 'run',
    urgent: true,
    initial: { warned: false },
    hooks: {
      preflight: ({ warned }, { session, now }) => {
        if (!session.run || timeoutSeconds === 0) return undefined;
        const elapsedMs = now - session.run.startedAt - session.run.pausedMs;
        const metadata = { limits: { timeoutSeconds } };
        if (elapsedMs > timeoutSeconds * 1000) {
          return {
            verdict: {
              kind: 'halt',
              state: 'timed_out',
              reason: 'timed_out',
              code: 'timed_out',
              message: `The run took longer than its limit of ${timeoutSeconds} s.`,
              metadata,
            },
          };
        }
        if (warned || soft === 0 || elapsedMs < timeoutSeconds * 1000 * soft) return undefined;
        const message = `${Math.floor(elapsedMs / 1000)} of the ${timeoutSeconds} s of this run are over.`;
        return { state: { warned: true }, verdict: { kind: 'warn', code: 'time_low', message, metadata } };
      },
    },
  });
