import { isRecord } from '../../plain/merge.ts';
import { targetOf } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';
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

/** Entries of the list, and characters of each: the list is in HEAD. */
const MOST = { entries: 24, chars: 80 };

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
              const name = inspectedBy(call).replace(/\s+/g, ' ').slice(0, MOST.chars).toWellFormed();
              const others = state.seen.filter((one) => one !== name);
              const isNew = state.isNew || others.length === state.seen.length;
              return { state: { ...state, seen: [name, ...others].slice(0, MOST.entries), isNew } };
            },
            inject: (state, { session, textOnly }) => {
              const step = (session.run?.steps ?? 0) + 1;
              if (textOnly || !state.isNew || step - state.last < every) return undefined;
              const text = reminding().reminders.orientation(state.seen);
              return {
                state: { ...state, last: step, isNew: false },
                verdict: { kind: 'nudge', code: 'orientation', text, again: true, beside: true },
              };
            },
          },
  });

/** A path, or a search with its words. */
function inspectedBy(call: ToolCall): string {
  const path = targetOf(call);
  const input = isRecord(call.input) ? call.input : {};
  const words = [input.query, input.pattern, input.q, input.search, input.words].find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (words === undefined) return path ?? call.name;
  return `${call.name} ${JSON.stringify(words)}${path === undefined ? '' : ` in ${path}`}`;
}
