import type * as z from 'zod';
import { wasRun } from './fingerprint.ts';
import { defineGuard } from './guard.ts';
import type { NoProgress } from './loop-config.ts';
import { type LoopScope, loopHalt, loopState, loopWarn } from './loop-guard.ts';
import { continuedBy, extend, noStreak, type Streak } from './streak.ts';

type Config = z.output<typeof NoProgress>;

/**
 * Stops a call that has had the same result again and again: `halt` identical results, and the same call once more,
 * end the run; from `warn` on the results say so (U1d, L6). A call may tell that it has made progress (L11:
 * `markProgress` of a tool's context).
 */
export const noProgressGuard = ({ warn, halt }: Config, scope: LoopScope) =>
  defineGuard<{ streak: Streak }>({
    name: 'no_progress',
    ...loopState(scope),
    initial: { streak: noStreak },
    hooks: {
      call: ({ streak }, { call }) => {
        const length = continuedBy(streak, call);
        if (halt > 0 && length >= halt) {
          return { verdict: loopHalt('no_progress_halt', said(call.name, length)) };
        }
        return warn > 0 && length >= warn
          ? { verdict: loopWarn('no_progress_warn', `${said(call.name, length)} ${instead}`) }
          : undefined;
      },
      result: (state, { call, result }) => {
        if (!wasRun(result)) return undefined;
        const streak = extend(state.streak, call, result);
        // The check after the call only says so: what stops is the check before the next one (L5).
        return warn > 0 && streak.length >= warn
          ? {
              state: { streak },
              verdict: loopWarn('no_progress_warn', `${said(call.name, streak.length)} ${instead}`),
            }
          : { state: { streak } };
      },
    },
  });

const said = (name: string, times: number): string =>
  `${name} has had the same result for the same arguments ${times} times in a row.`;
const instead = 'Change the arguments, or do something else.';
