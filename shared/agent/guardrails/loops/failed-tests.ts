import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { isShell, proofOf } from '../../session/facts.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';
import { isNewWork } from './news.ts';
import { outcomeKey } from './outcome.ts';

/**
 * Advises a run whose tests have failed `limit` times in a row. 0 = off. With `news: 'excused'`, only failures with the same
 * output count, and only while no command does something new in between, as a bisection does.
 */
export const failedTestsGuard = (limit: number, news: z.output<typeof Loop>['news'], scope: LoopScope) =>
  builtIn<'failed_tests', { failed: number; told: number; last: string }>({
    name: 'failed_tests',
    ...loopState(scope),
    initial: { failed: 0, told: 0, last: '' },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        const excused = news === 'excused';
        const { verified } = proofOf(call, result, tool);
        if (!verified) {
          const other = excused && isShell(call.name, tool) && isNewWork(session, { call, result, tool });
          return other ? { state: { failed: 0, told: 0, last: '' } } : undefined;
        }
        if (verified.exitCode === null) return undefined;
        if (verified.exitCode === 0) return { state: { failed: 0, told: 0, last: '' } };
        const last = excused ? outcomeKey(call, result, tool) : '';
        return last === state.last
          ? { state: { ...state, failed: state.failed + 1 } }
          : { state: { failed: 1, told: 0, last } };
      },
      batch: (state) => {
        const { failed, told } = state;
        return limit > 0 && failed >= limit && failed > told
          ? {
              state: { ...state, told: failed },
              verdict: loopNudge('failed_tests', guardTexts.failedTests(failed), told > 0, {
                count: failed,
                limits: { testFix: limit },
              }),
            }
          : undefined;
      },
    },
  });
