import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { commandOf, exitCodeOf, isAnswer, isShell } from '../../session/facts.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { failureKey, wasRun } from './fingerprint.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';
import { isPolling } from './news.ts';

/** Commands that read, find or change files: there are tools for that. */
const FILE_WORK = /^\s*(?:cat|head|tail|less|ls|find|grep|rg|sed|awk|echo|printf|tee|cp|mv|rm|mkdir|touch)\b/;

/**
 * Advises a run whose shell commands have failed `limit` times in a row. 0 = off. With `news: 'excused'`, only commands that fail
 * alike count, and verifications are left to `failed-tests.ts`.
 */
export const failedShellsGuard = (limit: number, news: z.output<typeof Loop>['news'], scope: LoopScope) =>
  builtIn<'failed_shells', { failed: number; told: number; files: boolean; last: string }>({
    name: 'failed_shells',
    ...loopState(scope),
    initial: { failed: 0, told: 0, files: false, last: '' },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        if (!isShell(call.name, tool) || !wasRun(result)) return undefined;
        const excused = news === 'excused';
        if (exitCodeOf(result) === 0) return { state: { failed: 0, told: 0, files: false, last: '' } };
        if (excused && (isAnswer(call, result, tool) || isPolling(session, call, tool))) return undefined;
        const files = FILE_WORK.test(commandOf(call) ?? '');
        const last = excused ? failureKey(call, result) : '';
        return last === state.last
          ? { state: { ...state, failed: state.failed + 1, files } }
          : { state: { failed: 1, told: 0, files, last } };
      },
      batch: (state) => {
        const { failed, told, files } = state;
        if (limit === 0 || failed < limit || failed <= told) return undefined;
        const verdict = loopNudge('failed_shells', guardTexts.failedShells(failed, files), told > 0, {
          count: failed,
          limits: { shellFailures: limit },
        });
        return { state: { ...state, told: failed }, verdict };
      },
    },
  });
