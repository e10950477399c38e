import { texts } from '../texts.ts';
import { proofOf } from '../tools/facts.ts';
import { defineGuard } from './guard.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

/** Advises a run whose tests have failed `limit` times in a row (T9). 0 = off. */
export const failedTestsGuard = (limit: number, scope: LoopScope) =>
  defineGuard<{ failed: number; told: number }>({
    name: 'failed_tests',
    ...loopState(scope),
    initial: { failed: 0, told: 0 },
    hooks: {
      result: (state, { call, result, tool }) => {
        const { verified } = proofOf(call, result, tool);
        if (!verified) return undefined;
        return {
          state: verified.exitCode === 0 ? { failed: 0, told: 0 } : { ...state, failed: state.failed + 1 },
        };
      },
      batch: ({ failed, told }) =>
        limit > 0 && failed >= limit && failed > told
          ? {
              state: { failed, told: failed },
              verdict: loopNudge('failed_tests', texts.failedTests(failed), told > 0),
            }
          : undefined,
    },
  });
