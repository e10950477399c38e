import { builtIn } from '../guard-codes.ts';
import type { LoopScope } from '../loops/loop-guard.ts';

/** Ms that the run had been active when a person last joined it. */
export type ActiveTimeState = { readonly since: number };

/**
 * Ends a run that has worked for more than `seconds` when it is about to run a tool. Work is committed time in model calls and
 * tools; waits on the queue and for people do not count. Like other loop counters, it starts again with a message that joins the
 * run. 0 = off.
 */
export const activeTimeGuard = (seconds: number, scope: LoopScope) =>
  builtIn<'active_time', ActiveTimeState>({
    name: 'active_time',
    scope: 'run',
    initial: { since: 0 },
    hooks: {
      inject: (_state, { session, said }) => {
        const since = session.run?.activeMs ?? 0;
        return scope === 'message' && said.length > 0 && since > 0 ? { state: { since } } : undefined;
      },
      call: ({ since }, { session, call }) => {
        if (seconds === 0 || (session.run?.activeMs ?? 0) - since <= seconds * 1000) return undefined;
        return {
          verdict: {
            kind: 'halt',
            state: 'timed_out',
            reason: 'timed_out',
            code: 'time_exceeded',
            message: `The run has worked for more than its limit of ${seconds} s.`,
            metadata: { tool: call.name, limits: { activeTurnSeconds: seconds } },
          },
        };
      },
    },
  });
