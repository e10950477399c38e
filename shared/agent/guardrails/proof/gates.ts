import type { Guardrails } from '../../config/guardrails.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { AnyGuard } from '../guard.ts';
import { commandGuard } from './command.ts';
import { compileGuard } from './compile.ts';
import { reflectionGuard } from './reflection.ts';
import { tasksGuard } from './tasks.ts';

interface Settings {
  readonly guardrails: Pick<Guardrails, 'tasks' | 'verify' | 'compile' | 'reflection'>;
  readonly limits: { readonly maxToolCalls: number; readonly costLimitUsd: number };
  /** Answer objects have no place for a confidence. */
  readonly answer?: unknown;
}

/**
 * The gates of an agent: the checks that an answer must pass, if its tools or its settings ask for them. In the order of
 * completion: cheap checks go first.
 */
export function gatesOf(tools: readonly ToolFacts[], { guardrails, limits, answer }: Settings): AnyGuard[] {
  const { tasks, verify, compile, reflection } = guardrails;
  const compiler = tools.find(({ evidence }) => evidence?.compiles);
  const { command } = verify;
  return [
    ...(tools.some(({ evidence }) => evidence?.tasks) ? [tasksGuard(tasks)] : []),
    ...(compiler ? [compileGuard(compile, compiler.name)] : []),
    ...(command === undefined ? [] : [commandGuard({ ...verify, command }, limits.maxToolCalls)]),
    ...(reflection.maxRounds > 0 && !answer ? [reflectionGuard(reflection, limits.costLimitUsd)] : []),
  ];
}
