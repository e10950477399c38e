import type { Pinned } from '../session/pinned.ts';
import { guardTexts } from '../texts/guards.ts';
import { texts } from '../texts.ts';
import { emptyGuard } from './answers/empty.ts';
import { goOnGuard } from './answers/go-on.ts';
import { intentGuard } from './answers/intent.ts';
import { malformedGuard } from './answers/malformed.ts';
import { pausesGuard } from './answers/pauses.ts';
import { recoveryGuard } from './answers/recoveries.ts';
import { truncationGuard } from './answers/truncation.ts';
import { accountingGuard } from './budgets/accounting.ts';
import { activeTimeGuard } from './budgets/active-time.ts';
import { budgetGuard } from './budgets/budget.ts';
import { cancelGuard } from './budgets/cancel.ts';
import { crashLoopGuard } from './budgets/crash-loop.ts';
import { maxStepsGuard } from './budgets/max-steps.ts';
import { maxToolCallsGuard } from './budgets/max-tool-calls.ts';
import { resourcesGuard } from './budgets/resources.ts';
import { timeoutGuard } from './budgets/timeout.ts';
import { usageToldGuard } from './budgets/usage-told.ts';
import { parentCancelGuard, wrapUpGuard } from './budgets/wrap-up.ts';
import { contextSizeGuard } from './context/context-size.ts';
import { failuresGuard } from './context/failures.ts';
import { orientationGuard } from './context/orientation.ts';
import { recitationGuard } from './context/recitation.ts';
import type { AnyGuard } from './guard.ts';
import { alikeGuard } from './loops/alike.ts';
import { callStreakGuard } from './loops/call-streak.ts';
import { changesGuard } from './loops/changes.ts';
import { countsGuard } from './loops/counts.ts';
import { cyclesGuard } from './loops/cycles.ts';
import { heedingDeclarations } from './loops/declared.ts';
import { explorationGuard } from './loops/exploration.ts';
import { failedShellsGuard } from './loops/failed-shells.ts';
import { failedTestsGuard } from './loops/failed-tests.ts';
import { identicalCommandsGuard } from './loops/identical-commands.ts';
import { identicalReadsGuard } from './loops/identical-reads.ts';
import type { LoopScope } from './loops/loop-guard.ts';
import { noMutationGuard } from './loops/no-mutation.ts';
import { noProgressGuard } from './loops/no-progress.ts';
import { onlyTalkGuard } from './loops/only-talk.ts';
import { progressGuard } from './loops/progress.ts';
import { readsGuard } from './loops/reads.ts';
import { sameAnswerGuard } from './loops/same-answer.ts';
import { siblingsGuard } from './loops/siblings.ts';
import { statusOnlyGuard } from './loops/status-only.ts';
import { stepRepeatGuard } from './loops/step-repeat.ts';
import { toolErrorsGuard } from './loops/tool-errors.ts';
import { windowGuard } from './loops/window.ts';
import { asksForChanges, verificationGuard } from './proof/verification.ts';

type Settings = Pick<Pinned, 'limits' | 'guardrails' | 'price' | 'fallbacks' | 'summarizer' | 'judge'> & {
  /** An answer object that its server may enforce cannot be continued after a cut. */
  readonly answer?: unknown;
};

/** The guards of a session, in the order of the pipeline, configured by its pinned settings. */
export const builtInGuards = (settings: Settings): AnyGuard[] => [
  ...limitGuards(settings),
  ...loopGuards(settings),
  pausesGuard,
  ...responseGuards(settings),
  recoveryGuard,
];

/** Guards for cancels, crashes and limits, which end runs from outside. */
function limitGuards({ limits, guardrails, price, fallbacks = [], summarizer, judge }: Settings): AnyGuard[] {
  const others = [...fallbacks, ...(summarizer ? [summarizer] : []), ...(judge ? [judge] : [])];
  const priced = [price, ...others.map((model) => model.price)].every((known) => known !== undefined);
  return [
    cancelGuard,
    crashLoopGuard(limits.maxAttempts),
    resourcesGuard,
    timeoutGuard(limits.timeoutSeconds, guardrails.time.soft),
    contextSizeGuard(guardrails.context.warnAt),
    maxStepsGuard(limits),
    budgetGuard(limits, guardrails.budget, priced),
    accountingGuard(guardrails.budget.accounting),
    usageToldGuard,
    wrapUpGuard,
    parentCancelGuard,
    maxToolCallsGuard(limits.maxToolCalls),
    activeTimeGuard(guardrails.time.activeTurnSeconds, loopScopeOf(guardrails)),
  ];
}

const loopScopeOf = ({
  resetOnUserMessage,
}: Pick<Settings['guardrails'], 'resetOnUserMessage'>): LoopScope =>
  resetOnUserMessage ? 'message' : 'session';

/** Loop guards, in the order of docs/reference/guards.md: of several nudges of a step the first is told. */
function loopGuards({ guardrails }: Settings): AnyGuard[] {
  const { loop, reads, nudges, progress, verify, resetOnUserMessage } = guardrails;
  const scope = loopScopeOf({ resetOnUserMessage });
  const counts = countsGuard(loop, scope);
  if (!loop.enabled) return [counts];
  const heeding = loop.news === 'counted' ? (guard: AnyGuard) => guard : heedingDeclarations;
  return [
    stepRepeatGuard(loop.stepRepeat, loop.news, scope),
    heeding(callStreakGuard(loop.callStreak, loop.news, scope)),
    heeding(identicalReadsGuard(loop.callStreak.read, loop.news, scope)),
    heeding(identicalCommandsGuard(loop.callStreak.bash, loop.news, scope)),
    heeding(cyclesGuard(loop, scope)),
    heeding(changesGuard(loop, scope)),
    heeding(sameAnswerGuard(loop.news, scope)),
    counts,
    heeding(noProgressGuard(loop, scope)),
    windowGuard(loop.window, scope),
    noMutationGuard(loop.noMutation, asksForChanges(verify), scope),
    readsGuard(reads, scope),
    explorationGuard(nudges.exploration, loop.news, scope),
    failedTestsGuard(nudges.testFix, loop.news, scope),
    failedShellsGuard(nudges.shellFailures, loop.news, scope),
    onlyTalkGuard(nudges.textOnly, scope),
    siblingsGuard(nudges.siblings),
    progressGuard(progress),
  ];
}

/** Guards on replies and results, in the order of completion, and reminders to the model. */
function responseGuards({ guardrails, answer }: Settings): AnyGuard[] {
  const { loop, truncation, empty, intent, statusOnly, verify, toolErrors, injections, context } = guardrails;
  return [
    truncationGuard(truncation, answer ? texts.wholeAfterCut : guardTexts.resumeAfterCut),
    malformedGuard,
    emptyGuard(empty),
    intentGuard(intent),
    statusOnlyGuard(statusOnly),
    verificationGuard(verify),
    toolErrorsGuard(toolErrors, loop.news),
    ...(loop.enabled ? [heedingDeclarations(alikeGuard(loop, loopScopeOf(guardrails)))] : []),
    failuresGuard(injections.failures),
    recitationGuard(injections.recitation),
    orientationGuard(injections.orientation),
    goOnGuard(context.recall),
  ];
}
