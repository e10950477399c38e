import type { Slice, Verdict } from '../session/verdict.ts';
import { type AnyGuard, defineGuard, type Guard } from './guard.ts';

/**
 * Everything that our guards may say: by the guard's name in events, the code, and the kinds of verdict.
 * `docs/reference/guards.md` is generated from it, and `builtIn` lets a guard say nothing else. `@config` names the keys that
 * configure it; a guard without one is always on.
 */
export interface GuardCodes {
  /** Ends a run that was stopped. */
  cancel: {
    /** It was stopped, by `cancel` or by Stop. */
    cancelled: 'halt';
  };
  /**
   * Ends a run whose worker dies again and again.
   * @config limits.maxAttempts
   */
  crash_loop: {
    /** The maximum number of workers have died, or failed to start, at the same step. */
    crash_loop: 'halt';
  };
  /** Watches the free resources of its worker. */
  resources: {
    /** 90 % of the memory is used. */
    memory_low: 'warn';
    /** All memory is used. */
    memory_full: 'halt';
    /** 90 % of the disk is used. */
    disk_low: 'warn';
    /** The disk is full. */
    disk_full: 'halt';
    /** 90 % of the file descriptors are used. */
    files_low: 'warn';
    /** All file descriptors are used. */
    files_full: 'halt';
  };
  /**
   * Ends a run that takes too long, waits for people excluded.
   * @config limits.timeoutSeconds, time.soft
   */
  timeout: {
    /** Most of its time is over. */
    time_low: 'warn';
    /** Its time is over. */
    timed_out: 'halt';
  };
  /**
   * Warns of a context that is nearly full, once for each context.
   * @config context.warnAt
   */
  context_size: {
    /** The next request has that share of its limit. */
    context_filling: 'warn';
  };
  /**
   * Limits the number of model calls.
   * @config limits.maxSteps, limits.graceStep
   */
  max_steps: {
    /** The limit is reached, and the model may write one last message. */
    grace_step: 'text_only';
    /** The limit is reached. */
    max_steps: 'halt';
  };
  /**
   * Limits tokens and dollars, and warns before the limit.
   * @config limits.tokenBudget, limits.costLimitUsd, budget
   */
  budget: {
    /** The tokens are used: the run ends, its calls are skipped, or the model writes a last message (`budget.onExceeded`). */
    token_budget: 'halt' | 'text_only' | 'skip_calls';
    /** The dollars are spent; then as for `token_budget`. */
    cost_limit: 'halt' | 'text_only' | 'skip_calls';
    /** Most of the tokens are used: from here on the model may only write text. */
    force_text: 'text_only';
    /** Past the soft limit. */
    soft_limit: 'warn';
    /** Little is left. */
    near_budget: 'warn';
    /** The limit is passed, and is not enforced. */
    budget_passed: 'warn';
    /** The limit was reached, and is raised once. */
    budget_recovered: 'warn';
    /** The price of a model is not known, so the limit in dollars cannot be relied on. */
    no_price: 'warn';
  };
  /**
   * Counts each token of the conversation once, if the budget is set to count so; says nothing.
   * @config budget.accounting
   */
  accounting: Record<never, never>;
  /** Says that figures are estimates. */
  usage: {
    /** The model's server did not report the usage of a reply. */
    usage_estimated: 'warn';
  };
  /** Lets a run sum up when it was asked to wrap up. */
  wrap_up: {
    /** The model sums up, and calls nothing. */
    wrap_up: 'text_only';
  };
  /** Ends a run whose parent was cancelled. */
  parent_cancel: {
    /** The run that started this one was cancelled. */
    parent_cancelled: 'halt';
  };
  /**
   * Limits the number of tool calls.
   * @config limits.maxToolCalls
   */
  max_tool_calls: {
    /** The model made one call more than the limit. */
    max_tool_calls: 'halt';
  };
  /**
   * Ends a run that has worked too long, waits excluded.
   * @config time.activeTurnSeconds
   */
  active_time: {
    /** Its active time is used up. */
    time_exceeded: 'halt';
  };
  /**
   * Ends a run that makes the same step again and again.
   * @config loop.stepRepeat
   */
  repetition: {
    /** The same calls were made too many times in a row. */
    repeated_step: 'halt';
  };
  /**
   * Advises a model that makes one call, or nearly the same one, again and again.
   * @config loop.callStreak
   */
  call_streak: {
    /** A streak of equal or similar calls; the words grow firmer. */
    doom_loop: 'nudge';
  };
  /**
   * Stops reads of the same thing while nothing changes.
   * @config loop.callStreak.read
   */
  identical_reads: {
    /** It was read often, and then too often: the run ends as `tool_error`. */
    identical_reads: 'nudge' | 'halt';
  };
  /**
   * Stops a shell command that is repeated too often.
   * @config loop.callStreak.bash
   */
  identical_commands: {
    /** It was repeated too often without a change in between: the run ends as `tool_error`. */
    identical_commands: 'halt';
  };
  /**
   * Stops calls that are repeated while nothing is new, whatever the length of the cycle.
   * @config loop.cycles
   */
  cycles: {
    /** The model is advised against it, and at last the run ends without recovery. */
    cycle: 'nudge' | 'halt';
    /** The call is refused. */
    cycle_refused: 'block';
  };
  /**
   * Stops a change that is made again and again with the same outcome, whatever else is new.
   * @config loop.changes
   */
  changes: {
    /** The model is advised against it, and at last the run ends without recovery. */
    same_change: 'nudge' | 'halt';
    /** The call is refused, or a person is asked. */
    same_change_refused: 'block';
  };
  /**
   * Stops failures of one tool or program that are alike, whatever else is new.
   * @config loop.failures
   */
  alike: {
    /** The model is advised, and at last the run ends without recovery. */
    failing_alike: 'nudge' | 'halt';
  };
  /**
   * Advises a model whose tool gives the same answer to everything, and stops one that never finds anything.
   * @config loop.news
   */
  same_answer: {
    /** Too many steps in a row had the same answer to different arguments; if they found nothing, the run ends at last. */
    same_answer: 'nudge' | 'halt';
  };
  /**
   * Limits how often one tool is called, whatever the arguments.
   * @config loop.counts, loop.enabled
   */
  counts: {
    /** Loop guards are turned off; said once, at the first call. */
    disabled: 'allow';
    /** A tool that only reads was called often. */
    idempotent_warn: 'warn';
    /** It is refused. */
    idempotent_block: 'block';
    /** It ends the run. */
    idempotent_halt: 'halt';
    /** A tool that changes something was called often. */
    mutating_warn: 'warn';
    /** It is refused. */
    mutating_block: 'block';
    /** It ends the run. */
    mutating_halt: 'halt';
  };
  /**
   * Stops a call that has the same result again and again.
   * @config loop.noProgress
   */
  no_progress: {
    /** GuardCodes on the call's result. */
    no_progress_warn: 'warn';
    /** The same call once more ends the run. */
    no_progress_halt: 'halt';
  };
  /**
   * Looks for patterns in the last calls.
   * @config loop.window
   */
  window: {
    /** The model is told about the pattern, once in a run. */
    loop_pattern: 'nudge';
    /** The same call again and again. */
    generic_repeat_warning: 'warn';
    /** It is refused, or a person is asked (`loop.window.approval`). */
    generic_repeat_critical: 'block';
    /** A poll whose answer stays the same. */
    poll_no_progress_warning: 'warn';
    /** It is refused, or a person is asked. */
    poll_no_progress_critical: 'block';
    /** Two calls that alternate. */
    ping_pong_warning: 'warn';
    /** They are refused, or a person is asked. */
    ping_pong_critical: 'block';
  };
  /**
   * Pushes a run that should change something, but only explores.
   * @config loop.noMutation
   */
  no_mutation: {
    /** The model is asked to act. */
    no_mutation_1: 'nudge';
    /** It is told to act. */
    no_mutation_2: 'nudge';
    /** It is told so at every step. */
    no_mutation_3: 'nudge';
  };
  /**
   * Limits the number of reads of a run.
   * @config reads
   */
  reads: {
    /** The number of reads left, in every request. */
    reads_left: 'nudge';
    /** None are left: the read is refused. */
    read_budget: 'block';
  };
  /**
   * Advises a run that reads much and changes nothing.
   * @config nudges.exploration
   */
  exploration: {
    /** Many files, or hardly any new one in many calls. */
    exploration: 'nudge';
  };
  /**
   * Advises a run whose tests keep failing.
   * @config nudges.testFix
   */
  failed_tests: {
    /** They have failed too many times in a row. */
    failed_tests: 'nudge';
  };
  /**
   * Advises a run whose commands keep failing.
   * @config nudges.shellFailures
   */
  failed_shells: {
    /** Too many in a row have failed. */
    failed_shells: 'nudge';
  };
  /**
   * Advises a run whose replies make no calls.
   * @config nudges.textOnly
   */
  only_talk: {
    /** Too many replies in a row made no call. */
    only_talk: 'nudge';
  };
  /**
   * Advises a run whose agents repeat one another's reads.
   * @config nudges.siblings
   */
  siblings: {
    /** They have made too many of the same reads. */
    siblings: 'nudge';
  };
  /**
   * Acts on what a model says about the progress of the run.
   * @config progress
   */
  progress: {
    /** The goal looks reached: the model is told to check that and to answer. */
    looks_done: 'nudge';
    /** The run looks stuck: the model is told to go another way, or to say what is missing. */
    looks_stuck: 'nudge';
    /** It looks stuck for the second time in a row: the run ends. */
    no_progress: 'halt';
  };
  /** Resumes a turn that the model's server has paused, up to five times in a row. */
  pauses: {
    /** It was paused more often than that. */
    too_many_pauses: 'halt';
  };
  /**
   * Continues replies that were cut at the output limit.
   * @config truncation
   */
  truncation: {
    /** Its calls were cut: the model is asked for smaller ones. */
    truncated_calls: 'nudge';
    /** Its text was cut: the model is asked to continue. */
    max_tokens_recovery: 'nudge';
    /** The cut answer is accepted, as `completed_truncated`. */
    max_tokens: 'flag';
    /** Cut too often: the run ends as `model_error`. */
    truncation: 'halt';
  };
  /**
   * Sends back a reply that writes its call as text.
   * @config parsing.malformedCalls
   */
  malformed: {
    /** Beside other calls: these run, and the model is told about the one that did not. */
    malformed_call: 'nudge';
    /** Alone: the run ends, unless it recovers. */
    malformed_tool_call: 'halt';
  };
  /**
   * Asks again when a reply is empty.
   * @config empty
   */
  empty: {
    /** Only thinking: the model is asked for an answer. */
    thinking_only: 'nudge';
    /** The thinking is taken as the answer. */
    thinking_promoted: 'flag';
    /** Nothing at all: the model is asked again, and at last the run ends as `model_error`. */
    empty_response: 'nudge' | 'halt';
    /** Nothing, right after a failure. */
    premature_end: 'nudge';
    /** Nothing to add to an answer that was cut: it stands, as `completed_truncated`. */
    silent_after_cut: 'flag';
    /** The silence is accepted, as `completed_empty`. */
    resilience_failed: 'flag';
  };
  /**
   * Sends back an answer that announces work without doing it.
   * @config intent
   */
  intent: {
    /** It announces an action. */
    planning_prose: 'nudge';
    /** A file that was asked for is not written. */
    artifact_missing: 'nudge';
    /** The answer is accepted as it is. */
    intent_accepted: 'flag';
    /** The run ends. */
    incomplete_action: 'halt';
  };
  /**
   * Sends back an answer that only states a status.
   * @config statusOnly
   */
  status_only: {
    /** The model is asked for substance. */
    status_only: 'nudge';
    /** The answer is accepted as it is. */
    status_only_accepted: 'flag';
  };
  /**
   * Asks a run for proof.
   * @config verify
   */
  verification: {
    /** No file was changed: the model is asked to change one, and at last the run ends as `verification_failed`. */
    wants_files_changed: 'nudge' | 'halt';
    /** Nothing was verified since the last change. */
    wants_verification_ran: 'nudge' | 'halt';
    /** No verification has passed since the last change. */
    wants_verification_passed: 'nudge' | 'halt';
    /** The answer is accepted without it. */
    unverified_accepted: 'flag';
  };
  /**
   * Lists what the run has inspected.
   * @config injections.orientation
   */
  orientation: {
    /** The list. */
    orientation: 'nudge';
  };
  /**
   * Lets the model examine its answer until it states enough confidence. Off by default.
   * @config reflection
   */
  reflection: {
    /** The model is asked to examine its answer, and to give it again. */
    reflect: 'nudge';
    /** The answer stands without that confidence. */
    unsure_accepted: 'flag';
  };
  /**
   * Sends back an answer that does not match the agent's schema.
   * @config answer
   */
  answer: {
    /** The model is told what is wrong with it. */
    answer_unfit: 'nudge';
    /** The run ends without a valid answer. */
    answer_invalid: 'halt';
  };
  /**
   * Compiles TypeScript that was changed. For agents that have the tool.
   * @config compile
   */
  compile: {
    /** The system compiles it. */
    compiling: 'check';
    /** The model is told what does not compile. */
    compile_errors: 'nudge' | 'halt';
    /** The answer is accepted with errors left. */
    compile_errors_left: 'flag';
  };
  /**
   * Runs the command that must pass before an answer counts.
   * @config verify
   */
  command: {
    /** The system runs it. */
    verifying: 'check';
    /** It failed: the model is asked to repair that. */
    repair: 'nudge';
    /** It still fails, or it was not run: the run ends. */
    verification_failed: 'halt';
    /** The repair has used up its tool calls: the run ends. */
    repair_calls: 'halt';
  };
  /**
   * Keeps the list of tasks, and sends back an answer while some are open. For agents that have the tool.
   * @config tasks
   */
  tasks: {
    /** The model is told to go on with the next one. */
    next_task: 'nudge';
    /** The model may only write text: its answer is accepted, and tasks are left open. */
    open_tasks_left: 'flag';
    /** Only blocked tasks are left, or the list does not change: the run ends. */
    open_tasks: 'halt';
    /** Most of the budget is used while tasks are open, and the configuration counts that as an ending by the budget. */
    open_tasks_over_budget: 'halt';
  };
  /**
   * Stops a run whose calls fail step after step.
   * @config toolErrors
   */
  tool_errors: {
    /** The shell lacks something in its environment: the model is told to look for another way. */
    shell_pivot: 'nudge';
    /** Calls fail alike, or keep failing. */
    failing: 'nudge';
    /** The run ends. */
    tool_errors: 'halt';
  };
  /**
   * Records failures that no later call has made up for.
   * @config injections.failures
   */
  failures: {
    /** There is a new one: the model is reminded of the last ones. */
    failures_left: 'nudge';
  };
  /**
   * Tells the model from time to time what it was asked for and where it is.
   * @config injections.recitation
   */
  recitation: {
    /** The task, its list of things to do, the last files, and the failures. */
    recitation: 'nudge';
  };
  /**
   * Tells a model whose conversation was made shorter how to go on.
   * @config context.recall
   */
  go_on: {
    /** It is to go on with the work, and not to sum up again. */
    go_on: 'nudge';
  };
  /**
   * Counts recoveries, which are sent as `steploop.recovery`; says nothing.
   * @config recovery
   */
  recovery: Record<never, never>;
}

/** Verdicts in the name of any guard, ours and others. */
export interface SaidOfAny {
  /** The guard threw: the run ends as `internal_error`. Where a run cannot end (on results), it is a warning. */
  guard_failed: 'halt' | 'warn';
}

/** A guard of ours, as events name it. */
export type GuardName = keyof GuardCodes;

type Kind = Verdict['kind'];
/** The codes of a guard's verdicts of a kind. */
export type CodesOf<Name extends GuardName, K extends Kind> = {
  [Code in keyof GuardCodes[Name]]: K extends GuardCodes[Name][Code] ? Code : never;
}[keyof GuardCodes[Name]];

/** The kind and code of a verdict that a guard may give. */
type Saying<Name extends GuardName> = {
  [K in Kind]: CodesOf<Name, K> extends never ? never : { readonly kind: K; readonly code: CodesOf<Name, K> };
}[Kind];

/** Declares a guard of ours: its verdicts must be listed in `GuardCodes`. */
export const builtIn = <Name extends GuardName, S extends Slice = Slice>(
  guard: Guard<S, Slice, Saying<Name>> & { readonly name: Name },
): AnyGuard => defineGuard(guard as unknown as Guard<S>);
