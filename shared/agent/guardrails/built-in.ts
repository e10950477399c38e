import type { Pinned } from '../pin.ts';
import { budgetGuard } from './budget.ts';
import { cancelGuard } from './cancel.ts';
import { crashLoopGuard } from './crash-loop.ts';
import type { AnyGuard } from './guard.ts';
import { maxStepsGuard } from './max-steps.ts';
import { maxTokensGuard } from './max-tokens.ts';
import { pausesGuard } from './pauses.ts';
import { repetitionGuard } from './repetition.ts';
import { timeoutGuard } from './timeout.ts';

/** The guards of a session, configured by what it is pinned to, in the order of the pipeline (loop-spec.md section 1). */
export const builtInGuards = ({ limits, guardrails }: Pick<Pinned, 'limits' | 'guardrails'>): AnyGuard[] => [
  cancelGuard,
  crashLoopGuard(limits.maxAttempts),
  timeoutGuard(limits.timeoutSeconds),
  maxStepsGuard(limits),
  budgetGuard(limits, guardrails),
  repetitionGuard(guardrails.maxRepeatedToolSteps),
  pausesGuard,
  maxTokensGuard(guardrails.maxTokensRecoveries),
];
