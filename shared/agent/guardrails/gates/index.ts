import type { Guardrails } from '../../config/guardrails.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { AnyGuard } from '../guard.ts';
import { tasksGuard } from './tasks.ts';

/** The gates of an agent: what an answer must pass, where its tools or its settings ask for it. In the order of completion. */
export const gatesOf = (tools: readonly ToolFacts[], { tasks }: Guardrails): AnyGuard[] =>
  tools.some(({ evidence }) => evidence?.tasks) ? [tasksGuard(tasks)] : [];
