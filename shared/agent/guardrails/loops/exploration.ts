import type * as z from 'zod';
import type { Loop, Nudges } from '../../config/loop.ts';
import { hash } from '../../plain/hash.ts';
import { proofOf, targetOf } from '../../session/facts.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { classify } from './classify.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

type Config = z.output<typeof Nudges>['exploration'];
type News = z.output<typeof Loop>['news'];
type State = {
  /** Files read since the last change. */
  readonly files: readonly string[];
  /** Reading calls since then, and which of them were the last to find a new file. */
  readonly calls: number;
  readonly found: readonly number[];
  readonly told: boolean;
  /** How often it was told. */
  readonly times: number;
};

/** Files that are distinguished. */
const MAX_FILES = 50;
/** With `news: 'excused'`, advice that was not heeded so often is not repeated until something changes. */
const MOST = 3;
const none: State = { files: [], calls: 0, found: [], told: false, times: 0 };

/**
 * Advises a run that changes nothing and reads one file after the other, or finds hardly any new file in a stretch of calls. Only
 * calls of tools that read count: a shell may do anything.
 */
export const explorationGuard = (
  { uniqueFiles, calls: stretch, newFiles }: Config,
  news: News,
  scope: LoopScope,
) =>
  builtIn<'exploration', State>({
    name: 'exploration',
    ...loopState(scope),
    initial: none,
    hooks: {
      result: (state, { call, result, tool }) => {
        if (proofOf(call, result, tool).changed.length > 0) return { state: none };
        if (classify(call.name, tool?.effect ?? 'unknown') !== 'idempotent') return undefined;
        const calls = state.calls + 1;
        const file = targetOf(call);
        const key = file === undefined ? undefined : hash(file, 12);
        if (key === undefined || state.files.includes(key)) return { state: { ...state, calls } };
        const files = [...state.files, key].slice(-MAX_FILES);
        return { state: { ...state, files, calls, found: [...state.found, calls].slice(-MAX_FILES) } };
      },
      batch: (state) => {
        const { files, calls, found, times } = state;
        if (news === 'excused' && times >= MOST) return undefined;
        const lately = found.filter((at) => at > calls - stretch).length;
        const wide = uniqueFiles > 0 && files.length >= uniqueFiles;
        const narrow = stretch > 0 && calls >= stretch && lately < newFiles;
        if (!wide && !narrow) return undefined;
        const text = guardTexts.exploration(files.length, calls);
        return {
          state: { ...state, told: true, times: times + 1 },
          verdict: loopNudge('exploration', text, state.told),
        };
      },
    },
  });
