import type { Pinned } from '../pin.ts';
import { activeTimeGuard } from './active-time.ts';
import { budgetGuard } from './budget.ts';
import { cancelGuard } from './cancel.ts';
import { crashLoopGuard } from './crash-loop.ts';
import { emptyGuard } from './empty.ts';
import { failuresGuard } from './failures.ts';
import type { AnyGuard } from './guard.ts';
import { intentGuard } from './intent.ts';
import { malformedGuard } from './malformed.ts';
import { maxStepsGuard } from './max-steps.ts';
import { maxToolCallsGuard } from './max-tool-calls.ts';
import { pausesGuard } from './pauses.ts';
import { recoveryGuard } from './recovery.ts';
import { repetitionGuard } from './repetition.ts';
import { resourcesGuard } from './resources.ts';
import { statusOnlyGuard } from './status-only.ts';
import { timeoutGuard } from './timeout.ts';
import { toolErrorsGuard } from './tool-errors.ts';
import { truncationGuard } from './truncation.ts';
import { verificationGuard } from './verification.ts';
import { parentCancelGuard, wrapUpGuard } from './wrap-up.ts';

type Settings = Pick<Pinned, 'limits' | 'guardrails' | 'price'>;

/** The guards of a session, configured by what it is pinned to, in the order of the pipeline (loop-spec.md section 1). */
export const builtInGuards = (settings: Settings): AnyGuard[] => [
  ...limitGuards(settings),
  repetitionGuard(settings.guardrails.loop.stepRepeat.limit),
  pausesGuard,
  ...responseGuards(settings),
  recoveryGuard,
];

/** What ends runs from outside, and what they may use. */
function limitGuards({ limits, guardrails, price }: Settings): AnyGuard[] {
  return [
    cancelGuard,
    crashLoopGuard(limits.maxAttempts),
    resourcesGuard,
    timeoutGuard(limits.timeoutSeconds),
    maxStepsGuard(limits),
    budgetGuard(limits, guardrails.budget, price !== undefined),
    wrapUpGuard,
    parentCancelGuard,
    maxToolCallsGuard(limits.maxToolCalls),
    activeTimeGuard(guardrails.time.activeTurnSeconds),
  ];
}

/** What becomes of replies and results; the order of completion is H2's. */
function responseGuards({ guardrails }: Settings): AnyGuard[] {
  const { truncation, empty, intent, statusOnly, verify, toolErrors } = guardrails;
  return [
    truncationGuard(truncation),
    malformedGuard,
    emptyGuard(empty),
    intentGuard(intent),
    statusOnlyGuard(statusOnly),
    verificationGuard(verify),
    toolErrorsGuard(toolErrors),
    failuresGuard,
  ];
}
