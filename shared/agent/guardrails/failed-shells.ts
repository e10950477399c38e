import { texts } from '../texts.ts';
import { commandOf, exitCodeOf, isShell } from '../tools/facts.ts';
import { wasRun } from './fingerprint.ts';
import { defineGuard } from './guard.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

/** Commands that read, find or change files: there are tools for that. */
const FILE_WORK = /^\s*(?:cat|head|tail|less|ls|find|grep|rg|sed|awk|echo|printf|tee|cp|mv|rm|mkdir|touch)\b/;

/** Advises a run whose shell commands have failed `limit` times in a row (T9). 0 = off. */
export const failedShellsGuard = (limit: number, scope: LoopScope) =>
  defineGuard<{ failed: number; told: number; files: boolean }>({
    name: 'failed_shells',
    ...loopState(scope),
    initial: { failed: 0, told: 0, files: false },
    hooks: {
      result: (state, { call, result, tool }) => {
        if (!isShell(call.name, tool) || !wasRun(result)) return undefined;
        if (exitCodeOf(result) === 0) return { state: { failed: 0, told: 0, files: false } };
        const files = FILE_WORK.test(commandOf(call) ?? '');
        return { state: { ...state, failed: state.failed + 1, files } };
      },
      batch: (state) => {
        const { failed, told, files } = state;
        if (limit === 0 || failed < limit || failed <= told) return undefined;
        const verdict = loopNudge('failed_shells', texts.failedShells(failed, files), told > 0);
        return { state: { ...state, told: failed }, verdict };
      },
    },
  });
