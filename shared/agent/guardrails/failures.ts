import { canonicalJson, hash } from '../plain/hash.ts';
import { targetOf } from '../session/facts.ts';
import type { ToolCall } from '../session/slots.ts';
import { builtIn } from './said.ts';

/** A failed call that no later call has made good. */
export type RecordedFailure = {
  readonly tool: string;
  /** The path or command that the call is about, or a hash of its arguments. */
  readonly target: string;
  /** The head of the error; no arguments, which may hold secrets. */
  readonly error: string;
  readonly step: number;
};

/** Failures that are kept, the latest ones (T11: 30). */
const MAX_FAILURES = 30;
/** Characters that are kept of an error, and of a target. */
const ERROR_CHARS = 120;
const TARGET_CHARS = 80;

/**
 * Records the failures of a run, so that the model can be reminded of them (T27, T11). One that the same tool later
 * makes good on the same target is dropped. Says nothing itself.
 */
export const failuresGuard = builtIn<'failures', { unresolved: readonly RecordedFailure[] }>({
  name: 'failures',
  scope: 'run',
  initial: { unresolved: [] },
  hooks: {
    result: ({ unresolved }, { session, call, result }) => {
      if (result.outcome === 'refused' || result.outcome === 'cancelled') return undefined;
      const target = about(call);
      const others = unresolved.filter((failure) => failure.tool !== call.name || failure.target !== target);
      if (result.outcome === 'ok') {
        return others.length < unresolved.length ? { state: { unresolved: others } } : undefined;
      }
      const failure = {
        tool: call.name,
        target,
        error: result.content.slice(0, ERROR_CHARS),
        step: session.run?.steps ?? 0,
      };
      return { state: { unresolved: [...others, failure].slice(-MAX_FAILURES) } };
    },
  },
});

const about = (call: ToolCall): string =>
  targetOf(call)?.slice(0, TARGET_CHARS) ?? hash(canonicalJson(call.input), 12);
