import type * as z from 'zod';
import type { Compilation } from '../../config/replies.ts';
import { isRecord } from '../../plain/merge.ts';
import { proofOf } from '../../session/facts.ts';
import type { ToolResult } from '../../session/slots.ts';
import type { Check } from '../../session/verdict.ts';
import { gateTexts } from '../../texts/gates.ts';
import { builtIn } from '../guard-codes.ts';

type State = {
  /** Calls that have changed TypeScript since the last compilation. */
  edits: number;
  /** The errors of that compilation, and their number. */
  errors: readonly string[];
  count: number;
  nudges: number;
};

/** Errors that the model is shown, and characters of one. */
const MAX_SHOWN = 15;
const MAX_CHARS = 300;

const TYPESCRIPT = /\.[cm]?tsx?$/i;

/**
 * Has the system compile TypeScript that was changed, before an answer counts and after some changes in the middle of a run. If
 * there is no compiler, that is not an error.
 *
 * @param tool the agent's tool that compiles
 */
export const compileGuard = (
  { maxNudges, everyEdits, onExhausted }: z.output<typeof Compilation>,
  tool: string,
) => {
  const check: Check & { readonly code: 'compiling' } = {
    ...{ kind: 'check', code: 'compiling', message: 'The system compiles the TypeScript that has changed.' },
    ...{ tool, input: {} },
  };
  return builtIn<'compile', State>({
    name: 'compile',
    scope: 'run',
    checks: true,
    initial: { edits: 0, errors: [], count: 0, nudges: 0 },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        if (tool?.evidence?.compiles) {
          const { count, errors } = errorsIn(result);
          const { due } = session.run ?? {};
          const isAdvice = due?.guard === 'compile' && !due.ends && count > 0;
          return {
            state: { ...state, edits: 0, errors, count },
            ...(isAdvice && { verdict: nudge(errors, count) }),
          };
        }
        const changes = proofOf(call, result, tool).changed.some((path) => TYPESCRIPT.test(path));
        return changes ? { state: { ...state, edits: state.edits + 1 } } : undefined;
      },
      batch: (state, { ends }) =>
        everyEdits > 0 && state.edits >= everyEdits && !ends ? { verdict: check } : undefined,
      complete: (state, { textOnly }) => {
        if (maxNudges === 0 || textOnly) return undefined;
        const { edits, errors, count, nudges } = state;
        if (edits > 0) return { verdict: check };
        if (count === 0) return undefined;
        if (nudges < maxNudges)
          return { state: { ...state, nudges: nudges + 1 }, verdict: nudge(errors, count) };
        if (onExhausted === 'accept')
          return { verdict: { kind: 'flag', code: 'compile_errors_left', reason: 'completed' } };
        return {
          verdict: {
            kind: 'halt',
            state: 'error',
            reason: 'verification_failed',
            code: 'compile_errors',
            message: `TypeScript that was changed does not compile: ${count === 1 ? '1 error' : `${count} errors`}.`,
          },
        };
      },
    },
  });
};

const nudge = (errors: readonly string[], count: number) =>
  ({
    kind: 'nudge',
    code: 'compile_errors',
    text: gateTexts.compileErrors(errors, count),
    metadata: { count },
  }) as const;

/** The errors of a compilation: `{ exitCode, errors, count }` of the tool. One that did not run has found none. */
function errorsIn({ outcome, exitCode, json, content }: ToolResult): Pick<State, 'errors' | 'count'> {
  const none = { errors: [], count: 0 };
  if (outcome !== 'ok' || exitCode === undefined || exitCode === 0) return none;
  const value: unknown = json ? parsed(content) : content;
  const said: unknown = isRecord(value) ? value.errors : undefined;
  const lines = Array.isArray(said) ? said.map(String) : content.split('\n');
  const count = isRecord(value) && typeof value.count === 'number' ? value.count : lines.length;
  return { errors: lines.slice(0, MAX_SHOWN).map((line) => line.slice(0, MAX_CHARS).toWellFormed()), count };
}

/** An output that was cut at its limit is no longer JSON. */
function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
