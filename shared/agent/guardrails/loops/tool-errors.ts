import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import type { ToolErrors } from '../../config/recovery.ts';
import { isAnswer, isShell, proofOf, type ToolFacts } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { Coded, Halt } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { failureKey } from './fingerprint.ts';
import { loopNudge } from './loop-guard.ts';
import { isPolling } from './news.ts';
import { hasFailed, maySucceedLater } from './outcome.ts';

type State = {
  streak: number;
  /** The step that was counted last: a batch counts once. */
  at: number;
  environment: number;
  /** How the last one failed, and in how many steps in a row. */
  last: string;
  alike: number;
  tool: string;
  /** Advice was due, but another piece was told; it stays due until the calls succeed. */
  owed: boolean;
};

/** Steps in a row that fail alike, and that fail at all, at which the model is advised, unless it is told that the run ends. */
const ALIKE = 3;
const IN_A_ROW = 4;

/** Something is missing or forbidden in the command's environment: trying again will not help. */
const ENVIRONMENT =
  /command not found|not recognized as|No such file or directory|ENOENT|Permission denied|EACCES|Read-only file system|network is unreachable|Could not resolve host|ECONNREFUSED|No module named|not installed/i;

/**
 * Ends a run whose calls fail step after step, and tells the model once if its shell lacks what it needs. Refused calls are not
 * errors. With `news: 'excused'`, the model is advised before that, a shell's exit code that answers a question is not an error,
 * and commands count only while they fail alike. Recovery handles only a failing shell, and feeds its last output back.
 */
export const toolErrorsGuard = (
  { max, shellPivotAfter }: z.output<typeof ToolErrors>,
  news: z.output<typeof Loop>['news'],
) =>
  builtIn<'tool_errors', State>({
    name: 'tool_errors',
    scope: 'streak',
    initial: { streak: 0, at: -1, environment: 0, last: '', alike: 0, tool: '', owed: false },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        const excused = news === 'excused';
        const shell = isShell(call.name, tool);
        const exited = result.outcome === 'ok' && (result.exitCode ?? 0) !== 0;
        if (excused && isNoFailure(session, call, result, tool)) return undefined;
        const bad = excused ? hasFailed(call, result, tool) : result.outcome === 'error' || (shell && exited);
        if (!bad) {
          const ran = result.outcome === 'ok';
          const environment = excused && shell ? 0 : state.environment;
          return ran && (state.streak > 0 || environment !== state.environment)
            ? { state: { ...state, streak: 0, at: -1, environment, last: '', alike: 0, owed: false } }
            : undefined;
        }
        const counted = state.at === session.version && state.streak > 0;
        const last = excused ? failureKey(call, result) : '';
        const other = last !== state.last;
        // A command that fails in another way than the one before has told something new.
        const goesOn = !(excused && shell && other && result.outcome === 'ok');
        const streak = !goesOn ? 1 : counted ? state.streak : state.streak + 1;
        const alike = other ? 1 : counted ? state.alike : state.alike + 1;
        const lacks = shell && ENVIRONMENT.test(result.content);
        const environment = (excused && other ? 0 : state.environment) + (lacks ? 1 : 0);
        const owed = goesOn && state.owed;
        const next = { streak, at: session.version, environment, last, alike, tool: call.name, owed };
        if (max > 0 && streak >= max) {
          return { state: next, verdict: failed(call, result, tool, streak, max) };
        }
        if (lacks && environment === shellPivotAfter) {
          const unsaid = { ...next, environment: environment - 1 };
          const metadata = { tool: call.name, count: environment, limits: { shellPivotAfter } };
          return {
            state: next,
            unsaid,
            verdict: loopNudge('shell_pivot', guardTexts.shellPivot, false, metadata),
          };
        }
        return { state: next };
      },
      batch: (state, { session }) => {
        const { streak, at, alike, tool, owed } = state;
        if (news === 'counted' || max === 0 || at !== session.version || streak >= max) return undefined;
        if (!owed && alike !== ALIKE && !(alike < ALIKE && streak === IN_A_ROW)) return undefined;
        const verdict = loopNudge('failing', guardTexts.failsAlike(tool, streak), false, {
          tool,
          count: streak,
          limits: { max },
        });
        return { state: { ...state, owed: false }, unsaid: { ...state, owed: true }, verdict };
      },
    },
  });

/** Failures that are left to others: verifications and searches have answered, and what may pass by itself is polled. */
function isNoFailure(
  session: Session,
  call: ToolCall,
  result: ToolResult,
  tool: ToolFacts | undefined,
): boolean {
  if (!hasFailed(call, result, tool)) return isAnswer(call, result, tool) && (result.exitCode ?? 0) !== 0;
  if (isPolling(session, call, tool) && (isShell(call.name, tool) || maySucceedLater(call, result, tool)))
    return true;
  return result.outcome === 'ok' && proofOf(call, result, tool).verified !== undefined;
}

function failed(
  call: ToolCall,
  result: ToolResult,
  tool: ToolFacts | undefined,
  times: number,
  max: number,
): Coded<Halt, 'tool_errors'> {
  const halt: Coded<Halt, 'tool_errors'> = {
    kind: 'halt',
    state: 'error',
    reason: 'tool_error',
    code: 'tool_errors',
    message: `Calls failed in ${times} steps in a row, the last one of ${call.name}.`,
    metadata: { tool: call.name, count: times, limits: { max } },
  };
  if (!isShell(call.name, tool)) return halt;
  return {
    ...halt,
    recover: { scenario: 'bash_failure', text: guardTexts.shellFailed(result.content.slice(-1000)) },
  };
}
