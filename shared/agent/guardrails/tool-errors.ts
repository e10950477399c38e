import * as z from 'zod';
import type { ToolCall, ToolResult } from '../slots.ts';
import { texts } from '../texts.ts';
import { isShell, type ToolFacts } from '../tools/facts.ts';
import { defineGuard, type Halt } from './guard.ts';

/** What is done about tools that keep failing (H16, A23). */
export const ToolErrors = z.strictObject({
  /** Steps in a row that end in a failed call after which the run ends as `tool_error`; 0 = off (H16: 3; ours 5). */
  max: z.int().min(0).max(100).default(5),
  /** Failures of the environment in a shell, in a run, after which the model is told to look for another way; 0 = off (A23: 2). */
  shellPivotAfter: z.int().min(0).max(100).default(2),
});

type State = {
  streak: number;
  /** The step that was counted last: a batch counts once. */
  at: number;
  environment: number;
};

/** Something is missing or forbidden where the command runs: trying again will not help. */
const ENVIRONMENT =
  /command not found|not recognized as|No such file or directory|ENOENT|Permission denied|EACCES|Read-only file system|network is unreachable|Could not resolve host|ECONNREFUSED|No module named|not installed/i;

/**
 * Ends a run whose calls fail step after step (H16), and tells the model once when its shell lacks what it wants (A23).
 * Refused calls are no errors (H10). What recovery may consume is a failing shell, whose last output it feeds back.
 */
export const toolErrorsGuard = ({ max, shellPivotAfter }: z.output<typeof ToolErrors>) =>
  defineGuard<State>({
    name: 'tool_errors',
    scope: 'streak',
    initial: { streak: 0, at: -1, environment: 0 },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        const shell = isShell(call.name, tool);
        const bad = result.outcome === 'error' || (shell && (result.exitCode ?? 0) !== 0);
        if (!bad) {
          const ran = result.outcome === 'ok';
          return ran && state.streak > 0 ? { state: { ...state, streak: 0, at: -1 } } : undefined;
        }
        const counted = state.at === session.version && state.streak > 0;
        const streak = counted ? state.streak : state.streak + 1;
        const environment = state.environment + (shell && ENVIRONMENT.test(result.content) ? 1 : 0);
        const next = { streak, at: session.version, environment };
        if (max > 0 && streak >= max) {
          return { state: next, verdict: failed(call, result, tool, streak) };
        }
        if (environment !== state.environment && environment === shellPivotAfter) {
          return { state: next, verdict: { kind: 'nudge', code: 'shell_pivot', text: texts.shellPivot } };
        }
        return { state: next };
      },
    },
  });

function failed(call: ToolCall, result: ToolResult, tool: ToolFacts | undefined, times: number): Halt {
  const halt: Halt = {
    kind: 'halt',
    state: 'error',
    reason: 'tool_error',
    code: 'tool_errors',
    message: `Calls failed in ${times} steps in a row, the last one of ${call.name}.`,
  };
  if (!isShell(call.name, tool)) return halt;
  return {
    ...halt,
    recover: { scenario: 'bash_failure', text: texts.shellFailed(result.content.slice(-1000)) },
  };
}
