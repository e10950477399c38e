import { builtIn } from '../guard-codes.ts';
import { readsFiles } from '../loops/classify.ts';
import { reminding } from './reminding.ts';

type State = {
  /** Things that the run has inspected, the last first. They may have left the context. */
  readonly seen: readonly string[];
  /** Step of the last list, or 0. */
  readonly last: number;
  /** Something was inspected for the first time since then. */
  readonly isNew: boolean;
};

/**
 * Lists for the model what the run has read, listed and searched, also after a compaction. The list comes at the end of a
 * request and is stored with the step, so the requests before it stay a prefix.
 *
 * @param every steps between two lists; 0 = off
 */
export const orientationGuard = (every: number) =>
  builtIn<'orientation', State>({
    name: 'orientation',
    scope: 'run',
    initial: { seen: [], last: 0, isNew: false },
    hooks:
      every === 0
        ? {}
        : {
            result: (state, { call, result, tool }) => {
              if (result.outcome !== 'ok' || !readsFiles(call.name, tool?.effect ?? 'unknown'))
                return undefined;
              const seen = reminding().inspected(state.seen, call);
              return { state: { ...state, seen, isNew: state.isNew || !state.seen.includes(seen[0] ?? '') } };
            },
            inject: (state, { session, textOnly }) => {
              const step = (session.run?.steps ?? 0) + 1;
              if (textOnly || !state.isNew || step - state.last < every) return undefined;
              const text = reminding().orient(state.seen);
              return {
                state: { ...state, last: step, isNew: false },
                verdict: { kind: 'nudge', code: 'orientation', text, again: true, beside: true },
              };
            },
          },
  });
