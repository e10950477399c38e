import type * as z from 'zod';
import type { Verification } from '../../config/replies.ts';
import { isRecord } from '../../plain/merge.ts';
import { proofOf } from '../../session/facts.ts';
import type { ToolResult } from '../../session/slots.ts';
import { gateTexts } from '../../texts/gates.ts';
import { builtIn } from '../guard-codes.ts';
import { requiredBy } from './verification.ts';

type Config = z.output<typeof Verification> & { readonly command: string };

type State = {
  /** Files have changed in this run. */
  changed: boolean;
  /** The command's result, and the tree of the workspace that it ran over; null while it has not run since the last change. */
  checked: { readonly tree: string; readonly exitCode: number | null; readonly said: string } | null;
  repairs: number;
  /** Calls since the last repair began. */
  calls: number;
};

/** Characters of a command's output that are kept. */
const MAX_SAID = 1_000;
/** Calls that a repair always has. */
const LEAST_CALLS = 8;

/**
 * Has the system run the agent's command when the answer is there and files have changed, and goes by its exit code alone. A
 * failure is repaired, a limited number of times and within half of the calls of a run; then the run ends.
 */
export const commandGuard = (config: Config, maxToolCalls: number) =>
  builtIn<'command', State>({
    name: 'command',
    scope: 'run',
    checks: true,
    initial: { changed: false, checked: null, repairs: 0, calls: 0 },
    hooks: {
      call: (state) => {
        const most = maxToolCalls > 0 ? Math.max(LEAST_CALLS, Math.floor(maxToolCalls / 2)) : 0;
        if (state.repairs === 0 || most === 0) return undefined;
        if (state.calls < most) return { state: { ...state, calls: state.calls + 1 } };
        return {
          verdict: {
            kind: 'halt',
            state: 'error',
            reason: 'verification_failed',
            code: 'repair_calls',
            message: `The repair has used its ${most} calls of tools.`,
          },
        };
      },
      result: (state, { session, call, result, tool }) => {
        if (session.run?.due?.guard === 'command') {
          const tree = session.workspace ?? '';
          return { state: { ...state, checked: { tree, ...outcomeOf(result) } } };
        }
        const { changed, unverifies } = proofOf(call, result, tool);
        if (changed.length === 0 && !unverifies) return undefined;
        return { state: { ...state, changed: state.changed || changed.length > 0, checked: null } };
      },
      complete: (state, { session, textOnly }) => {
        if (textOnly) return undefined;
        const isAsked = requiredBy(config, false).some((wanted) => wanted !== 'files_changed');
        if (!state.changed && !isAsked) return undefined;
        const { checked } = state;
        const { command } = config;
        if (!checked || checked.tree !== (session.workspace ?? '')) {
          const message = `The system runs the verification: ${command}`;
          return { verdict: { kind: 'check', code: 'verifying', message, tool: 'bash', input: { command } } };
        }
        if (checked.exitCode === 0) return undefined;
        if (checked.exitCode === null || state.repairs >= config.repairs) {
          return {
            verdict: {
              kind: 'halt',
              state: 'error',
              reason: 'verification_failed',
              code: 'verification_failed',
              message: gateTexts.stillFails(command, checked, state.repairs),
            },
          };
        }
        return {
          state: { ...state, repairs: state.repairs + 1, calls: 0 },
          verdict: { kind: 'nudge', code: 'repair', text: gateTexts.repair(command, checked) },
        };
      },
    },
  });

/** The result of a command, without an exit code if it was not run. Errors are mostly at the end of the output. */
function outcomeOf(result: ToolResult) {
  const ran = result.outcome === 'ok' || result.outcome === 'error';
  const exitCode = ran ? (result.exitCode ?? (result.outcome === 'ok' ? 0 : 1)) : null;
  return { exitCode, said: saidBy(result).slice(-MAX_SAID).toWellFormed() };
}

function saidBy({ content, json }: ToolResult): string {
  try {
    const value: unknown = json ? JSON.parse(content) : content;
    if (!isRecord(value)) return content;
    return [value.stdout, value.stderr].filter((text) => typeof text === 'string' && text !== '').join('\n');
  } catch {
    return content;
  }
}
