import type { Guardrails } from '../../config/guardrails.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { AnyGuard } from '../guard.ts';
import { commandGuard } from './command.ts';
import { compileGuard } from './compile.ts';
import { tasksGuard } from './tasks.ts';

interface Settings {
  readonly guardrails: Pick<Guardrails, 'tasks' | 'verify' | 'compile'>;
  readonly limits: { readonly maxToolCalls: number };
}

/**
 * The gates of an agent: the checks that an answer must pass, if its tools or its settings ask for them. In the order of
 * completion: cheap checks go first.
 */
export function gatesOf(tools: readonly ToolFacts[], { guardrails, limits }: Settings): AnyGuard[] {
  const { tasks, verify, compile } = guardrails;
  const compiler = tools.find(({ evidence }) => evidence?.compiles);
  const { command } = verify;
  return [
    ...(tools.some(({ evidence }) => evidence?.tasks) ? [tasksGuard(tasks)] : []),
    ...(compiler ? [compileGuard(compile, compiler.name)] : []),
    ...(command === undefined ? [] : [commandGuard({ ...verify, command }, limits.maxToolCalls)]),
  ];
}
