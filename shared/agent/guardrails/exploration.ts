import type * as z from 'zod';
import { hash } from '../hash.ts';
import { texts } from '../texts.ts';
import { changesFiles, targetOf } from '../tools/facts.ts';
import { classify } from './classify.ts';
import { defineGuard } from './guard.ts';
import type { Nudges } from './loop-config.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

type Config = z.output<typeof Nudges>['exploration'];
type State = { readonly files: readonly string[]; readonly calls: number; readonly told: boolean };

/** Files that are told apart. */
const MAX_FILES = 50;

/** Advises a run that reads one file after the other, or the same ones again and again, and changes nothing (T9). */
export const explorationGuard = ({ uniqueFiles, calls: manyCalls, newFiles }: Config, scope: LoopScope) =>
  defineGuard<State>({
    name: 'exploration',
    ...loopState(scope),
    initial: { files: [], calls: 0, told: false },
    hooks: {
      result: (state, { call, result, tool }) => {
        if (tool && changesFiles(tool) && result.outcome === 'ok') {
          return { state: { files: [], calls: 0, told: false } };
        }
        const file =
          classify(call.name, tool?.effect ?? 'unknown') === 'idempotent' ? targetOf(call) : undefined;
        const key = file === undefined ? undefined : hash(file, 12);
        const isNew = key !== undefined && !state.files.includes(key);
        const files = isNew ? [...state.files, key].slice(-MAX_FILES) : state.files;
        return { state: { ...state, files, calls: state.calls + 1 } };
      },
      batch: (state) => {
        const wide = uniqueFiles > 0 && state.files.length >= uniqueFiles;
        const narrow = manyCalls > 0 && state.calls >= manyCalls && state.files.length < newFiles;
        if (!wide && !narrow) return undefined;
        const text = texts.exploration(state.files.length, state.calls);
        return { state: { ...state, told: true }, verdict: loopNudge('exploration', text, state.told) };
      },
    },
  });
