import type { Pinned } from '../session/pinned.ts';
import { texts } from '../texts.ts';
import { accountingGuard } from './accounting.ts';
import { activeTimeGuard } from './active-time.ts';
import { budgetGuard } from './budget.ts';
import { callStreakGuard } from './call-streak.ts';
import { cancelGuard } from './cancel.ts';
import { contextSizeGuard } from './context-size.ts';
import { countsGuard } from './counts.ts';
import { crashLoopGuard } from './crash-loop.ts';
import { cyclesGuard } from './cycles.ts';
import { emptyGuard } from './empty.ts';
import { explorationGuard } from './exploration.ts';
import { failedShellsGuard } from './failed-shells.ts';
import { failedTestsGuard } from './failed-tests.ts';
import { failuresGuard } from './failures.ts';
import { goOnGuard } from './go-on.ts';
import type { AnyGuard } from './guard.ts';
import { identicalCommandsGuard } from './identical-commands.ts';
import { identicalReadsGuard } from './identical-reads.ts';
import { intentGuard } from './intent.ts';
import type { LoopScope } from './loop-guard.ts';
import { malformedGuard } from './malformed.ts';
import { maxStepsGuard } from './max-steps.ts';
import { maxToolCallsGuard } from './max-tool-calls.ts';
import { noMutationGuard } from './no-mutation.ts';
import { noProgressGuard } from './no-progress.ts';
import { onlyTalkGuard } from './only-talk.ts';
import { pausesGuard } from './pauses.ts';
import { readsGuard } from './reads.ts';
import { recitationGuard } from './recitation.ts';
import { recoveryGuard } from './recoveries.ts';
import { resourcesGuard } from './resources.ts';
import { sameAnswerGuard } from './same-answer.ts';
import { statusOnlyGuard } from './status-only.ts';
import { stepRepeatGuard } from './step-repeat.ts';
import { timeoutGuard } from './timeout.ts';
import { toolErrorsGuard } from './tool-errors.ts';
import { truncationGuard } from './truncation.ts';
import { usageToldGuard } from './usage-told.ts';
import { asksForChanges, verificationGuard } from './verification.ts';
import { windowGuard } from './window.ts';
import { parentCancelGuard, wrapUpGuard } from './wrap-up.ts';

type Settings = Pick<Pinned, 'limits' | 'guardrails' | 'price' | 'fallbacks' | 'summarizer'> & {
  /** What is to be an object that its server may enforce cannot be gone on with. */
  readonly answer?: unknown;
};

/** The guards of a session, configured by what it is pinned to, in the order of the pipeline. */
export const builtInGuards = (settings: Settings): AnyGuard[] => [
  ...limitGuards(settings),
  ...loopGuards(settings),
  pausesGuard,
  ...responseGuards(settings),
  recoveryGuard,
];

/** What ends runs from outside, and what they may use. */
function limitGuards({ limits, guardrails, price, fallbacks = [], summarizer }: Settings): AnyGuard[] {
  const others = summarizer ? [...fallbacks, summarizer] : fallbacks;
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

/** What looks for loops, in the order of docs/reference/guards.md: of several nudges of a step the first is said. */
function loopGuards({ guardrails }: Settings): AnyGuard[] {
  const { loop, reads, nudges, verify, resetOnUserMessage } = guardrails;
  const scope = loopScopeOf({ resetOnUserMessage });
  const counts = countsGuard(loop, scope);
  if (!loop.enabled) return [counts];
  return [
    stepRepeatGuard(loop.stepRepeat, loop.news, scope),
    callStreakGuard(loop.callStreak, loop.news, scope),
    identicalReadsGuard(loop.callStreak.read, loop.news, scope),
    identicalCommandsGuard(loop.callStreak.bash, loop.news, scope),
    cyclesGuard(loop, scope),
    sameAnswerGuard(loop.news, scope),
    counts,
    noProgressGuard(loop, scope),
    windowGuard(loop.window, scope),
    noMutationGuard(loop.noMutation, asksForChanges(verify), scope),
    readsGuard(reads, scope),
    explorationGuard(nudges.exploration, scope),
    failedTestsGuard(nudges.testFix, loop.news, scope),
    failedShellsGuard(nudges.shellFailures, loop.news, scope),
    onlyTalkGuard(nudges.textOnly, scope),
  ];
}

/** What becomes of replies and results, where the order of completion is H2's, and what the model is reminded of. */
function responseGuards({ guardrails, answer }: Settings): AnyGuard[] {
  const { loop, truncation, empty, intent, statusOnly, verify, toolErrors, injections, context } = guardrails;
  return [
    truncationGuard(truncation, answer ? texts.wholeAfterCut : texts.resumeAfterCut),
    malformedGuard,
    emptyGuard(empty),
    intentGuard(intent),
    statusOnlyGuard(statusOnly),
    verificationGuard(verify),
    toolErrorsGuard(toolErrors, loop.news),
    failuresGuard(injections.failures),
    recitationGuard(injections.recitation),
    goOnGuard(context.recall),
  ];
}
