import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { builtIn } from '../guard-codes.ts';
import { wasRun } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopState, loopWarn } from './loop-guard.ts';
import { isPolling } from './news.ts';
import { continuedBy, extend, noStreak, type Streak, stepOf } from './streak.ts';

type Config = Pick<z.output<typeof Loop>, 'news' | 'noProgress'>;

/**
 * Stops a call that has had the same result again and again: after `halt` identical results, the same call once more ends the
 * run; from `warn` on the results say so, each once. A call may report that it has made progress (`markProgress` of a tool's
 * context).
 */
export const noProgressGuard = ({ news, noProgress: { warn, halt } }: Config, scope: LoopScope) => {
  const facts = (tool: string, count: number) => ({ tool, count, limits: { warn, halt } });
  return builtIn<'no_progress', { streak: Streak }>({
    name: 'no_progress',
    ...loopState(scope),
    initial: { streak: noStreak },
    hooks: {
      call: ({ streak }, { session, call, tool }) => {
        if (news === 'excused' && isPolling(session, call, tool)) return undefined;
        const length = continuedBy(streak, call);
        if (halt > 0 && length >= halt) {
          return { verdict: loopHalt('no_progress_halt', said(call.name, length), facts(call.name, length)) };
        }
        return warn > 0 && length >= warn
          ? {
              verdict: loopWarn(
                'no_progress_warn',
                said(call.name, length),
                facts(call.name, length),
                instead,
              ),
            }
          : undefined;
      },
      result: (state, { session, call, result, tool }) => {
        if (!wasRun(result)) return undefined;
        const streak = extend(state.streak, { call, result, tool }, stepOf(session, news));
        const next = { state: { streak } };
        if (news === 'excused' && isPolling(session, call, tool)) return next;
        // The check after the call only reports. The check before the next call stops, and reports from then on, so that nothing
        // is said twice about one call.
        const first = streak.length === warn && state.streak.length < warn;
        return warn > 0 && first
          ? {
              ...next,
              verdict: loopWarn(
                'no_progress_warn',
                said(call.name, streak.length),
                facts(call.name, streak.length),
                instead,
              ),
            }
          : next;
      },
    },
  });
};

const said = (name: string, times: number): string =>
  `${name} has had the same result for the same arguments ${times} times in a row.`;
const instead = 'Change the arguments, or do something else.';
