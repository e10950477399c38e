import { byteLength } from '../../plain/utf8.ts';
import { isAnswer } from '../../session/facts.ts';
import { builtIn } from '../guard-codes.ts';
import {
  about,
  ERROR_CHARS,
  type FailuresState,
  NAME_CHARS,
  type RecordedFailure,
} from './recorded-failure.ts';
import { reminding } from './reminding.ts';

/**
 * Failures that are kept, the latest ones, and bytes of JSON for all of them: they are part of HEAD, which is written twice a
 * step.
 */
const MAX_FAILURES = 30;
const MAX_BYTES = 4_000;

/**
 * Records the failures of a run, and reminds the model of the last ones when there is a new one. A failure is dropped when the
 * same tool later succeeds on the same target.
 *
 * @param shown how many it is reminded of; 0 = none
 */
export const failuresGuard = (shown: number) =>
  builtIn<'failures', FailuresState>({
    name: 'failures',
    scope: 'run',
    initial: { unresolved: [], told: 0 },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        const { unresolved } = state;
        if (result.outcome === 'refused' || result.outcome === 'cancelled') return undefined;
        const name = call.name.slice(0, NAME_CHARS);
        const target = about(call);
        const others = unresolved.filter((failure) => failure.tool !== name || failure.target !== target);
        const exited = (result.exitCode ?? 0) !== 0 && !isAnswer(call, result, tool);
        if (result.outcome === 'ok' && !exited) {
          return others.length < unresolved.length ? { state: { ...state, unresolved: others } } : undefined;
        }
        const error = result.content.slice(0, ERROR_CHARS);
        const failure = { tool: name, target, error, step: session.run?.steps ?? 0 };
        return { state: { ...state, unresolved: bounded([...others, failure]) } };
      },
      inject: (state, { session, textOnly, context }) => {
        const last = state.unresolved.slice(-shown);
        const newest = last.at(-1)?.step ?? 0;
        if (shown === 0 || textOnly || newest <= state.told) return undefined;
        return {
          state: { ...state, told: newest },
          verdict: {
            kind: 'nudge',
            code: 'failures_left',
            text: reminding().evidenceOf(last, session, context.slots),
            metadata: { count: last.length },
            again: true,
            beside: true,
          },
        };
      },
    },
  });

/** The latest ones that fit. */
function bounded(failures: readonly RecordedFailure[]): readonly RecordedFailure[] {
  let room = MAX_BYTES;
  const latest = failures.slice(-MAX_FAILURES);
  const tooOld = latest.findLastIndex((failure) => {
    room -= byteLength(JSON.stringify(failure));
    return room < 0;
  });
  return latest.slice(tooOld + 1);
}
