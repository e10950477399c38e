import type { GuardrailsInput } from './guardrails.ts';
import type { LimitsInput } from './limits.ts';

/**
 * The settings of a preset, with the keys that a definition uses. Data: everything survives JSON. Approvals are not part of it: an
 * agent sets them itself (`approvals`).
 */
export interface Preset {
  readonly guardrails: GuardrailsInput;
  readonly limits: LimitsInput;
}

const noThresholds = { warn: 0, block: 0, halt: 0 };

const noCycles = { advise: 0, refuse: 0, halt: 0 };

/** Every mechanism off. Each of the four systems that presets are modelled on has only a few of them. */
export const quiet = {
  loop: {
    news: 'counted',
    cycles: { ...noCycles, poll: noCycles },
    changes: noCycles,
    failures: { advise: 0, halt: 0 },
    stepRepeat: { limit: 0, resultAware: 'poll_tools' },
    callStreak: { exact: 0, fuzzy: 0, read: { limit: 0, warnAt: 0 }, bash: { limit: 0 } },
    counts: { idempotent: noThresholds, mutating: noThresholds },
    noProgress: { warn: 0, halt: 0 },
    window: { detectors: [] },
    noMutation: { levels: [] },
  },
  reads: { budget: 0 },
  nudges: { testFix: 0, shellFailures: 0, textOnly: 0, siblings: 0 },
  truncation: { max: 0, scope: 'run', toolCalls: 'discard', onExhausted: 'accept', join: false },
  empty: { max: 0, thinkingNudge: false, onExhausted: 'accept' },
  intent: { max: 0, total: 0, onExhausted: 'accept', artifacts: false, needsTools: false },
  statusOnly: { max: 0 },
  verify: { maxNudges: 0, onExhausted: 'accept' },
  tasks: { maxNudges: 0 },
  compile: { maxNudges: 0, everyEdits: 0, onExhausted: 'accept' },
  parsing: { reasoningTags: 'keep', malformedCalls: 'accept' },
  toolErrors: { max: 0, shellPivotAfter: 0 },
  budget: { soft: 0, forceTextAt: 0 },
  time: { soft: 0 },
  recovery: { total: 0 },
  injections: { budgetTokens: 0, recitation: [], failures: 0 },
  retry: { maxSeconds: 0 },
} satisfies GuardrailsInput;

/** Any number of calls in a reply, whatever their outcome. */
const wholeBatches = { maxCallsPerReply: 256, maxFailuresInARow: 0, batchWindowShare: 0 };

/** Any number of calls in a run. */
const noCallLimits = { maxToolCalls: 0, ...wholeBatches };

/** These systems count their tries, and do not wait out an outage. */
const triesOnly = { outageSeconds: 0 };

/** PraisonAI's Loop Guard as its code is now: the counts stop only runs that are stuck, and Loop Detection is on. */
const loopGuard = {
  ...quiet.loop,
  counts: {
    idempotent: { warn: 5, block: 8, halt: 12 },
    mutating: { warn: 3, block: 5, halt: 7 },
    gate: 'stuck',
  },
  noProgress: { warn: 4, halt: 8 },
  window: {
    size: 30,
    warn: 10,
    critical: 20,
    detectors: ['generic_repeat', 'poll_no_progress', 'ping_pong'],
  },
} satisfies GuardrailsInput['loop'];

/**
 * The presets: the columns of docs/reference/presets.md. docs/rules.md describes the mechanisms of the systems that they are modelled on.
 */
export const presets = {
  /** The defaults of every key. */
  default: { guardrails: {}, limits: {} },

  /**
   * For agents that talk to people. The people judge an answer: no guard sends one back because of its wording, and none pushes
   * the model on to act. Protection against runaway runs stays as it is by default: budgets, loops, cut and empty replies,
   * failing tools. At a limit the model writes a last message to the person.
   */
  chat: {
    guardrails: {
      loop: { noMutation: { levels: [] } },
      nudges: { testFix: 0, shellFailures: 0, textOnly: 0, siblings: 0 },
      intent: { max: 0, artifacts: false },
      statusOnly: { max: 0 },
      verify: { contract: 'none' },
      // People discuss tool calls and paste them, so a call written as text stays text.
      parsing: { malformedCalls: 'accept' },
      toolErrors: { shellPivotAfter: 0 },
      budget: { onExceeded: 'wrap_up' },
    },
    limits: { graceStep: true },
  },

  /** aar. */
  aar: {
    guardrails: {
      ...quiet,
      loop: {
        ...quiet.loop,
        stepRepeat: { limit: 3, resultAware: 'never', truncateValuesAt: 200 },
        noMutation: { levels: [8], when: 'offered', steps: 'only_reads', once: true },
      },
      truncation: { max: 2, scope: 'session', toolCalls: 'discard', onExhausted: 'complete', join: false },
      empty: { ...quiet.empty, afterFailure: 2 },
      toolErrors: { max: 0, shellPivotAfter: 2 },
      budget: { ...quiet.budget, reserveTokens: 512, reserveCostFraction: 0.1 },
      // Measured over the whole window, and only when it is exceeded.
      context: { strategy: 'sliding_window', reserve: 0, foldAt: 1, target: 1, recall: false },
      retry: {
        ...quiet.retry,
        baseSeconds: 1,
        jitter: [0.5, 1.5],
        rateLimitSeconds: 30,
        rateLimitJitter: [0.8, 1.2],
      },
      resetOnUserMessage: false,
    },
    limits: {
      maxSteps: 50,
      scope: 'session',
      timeoutSeconds: 0,
      tokenBudget: 0,
      costLimitUsd: 0,
      maxRetries: 3,
      ...triesOnly,
      ...noCallLimits,
    },
  },

  /** Hamr. */
  hamr: {
    guardrails: {
      ...quiet,
      loop: {
        ...quiet.loop,
        callStreak: {
          ...quiet.loop.callStreak,
          read: { limit: 5, warnAt: 3 },
          bash: { limit: 3, stopOn: 'after_n' },
        },
        noMutation: { levels: [8, 9, 10], when: 'offered' },
      },
      reads: { budget: 64, warnFrom: 0.5 },
      truncation: {
        max: 2,
        scope: 'streak',
        toolCalls: 'salvage_xml',
        onExhausted: 'model_error',
        join: false,
      },
      parsing: { reasoningTags: 'strip', malformedCalls: 'fail' },
      // Its two tries are recoveries.
      empty: { max: 0, thinkingNudge: false, onExhausted: 'model_error' },
      intent: { ...quiet.intent, max: 3, onExhausted: 'accept' },
      statusOnly: { max: 2 },
      verify: { maxNudges: 5, onExhausted: 'accept' },
      context: {
        strategy: 'staged',
        window: 131_072,
        reserve: 8_192,
        foldAt: 1,
        // The first stage that fits is taken.
        target: 1,
        keepToolTurns: 3,
        tail: { tokens: 20_000, share: 0.4 },
        summary: { maxChars: 8_000, leastChars: 1_200 },
        recall: false,
      },
      toolErrors: { max: 3, shellPivotAfter: 0 },
      injections: { ...quiet.injections, orientation: 8 },
      recovery: {
        total: 5,
        per: {
          empty_response: 2,
          infinite_loop: 1,
          bash_failure: 2,
          malformed_tool_call: 2,
          context_exhaustion: 1,
        },
      },
    },
    limits: { maxSteps: 64, maxToolCalls: 192, ...wholeBatches, ...triesOnly },
  },

  /** PraisonAI as its documentation describes it: the counts always stop, and Loop Detection is opt-in. */
  praisonai: {
    guardrails: {
      ...quiet,
      loop: {
        ...loopGuard,
        counts: { ...loopGuard.counts, gate: 'always' },
        window: { detectors: [] },
      },
      time: { ...quiet.time, activeTurnSeconds: 120 },
    },
    limits: { ...noCallLimits, ...triesOnly },
  },

  /** PraisonAI as its code is now. */
  'praisonai-current': {
    guardrails: {
      ...quiet,
      loop: loopGuard,
      time: { ...quiet.time, activeTurnSeconds: 120 },
    },
    limits: { ...noCallLimits, ...triesOnly },
  },

  /** attocode. */
  attocode: {
    guardrails: {
      ...quiet,
      loop: {
        ...quiet.loop,
        callStreak: { ...quiet.loop.callStreak, exact: 3, fuzzy: 4, escalateAt: [4, 6] },
      },
      nudges: {
        exploration: { uniqueFiles: 10, calls: 15, newFiles: 2 },
        testFix: 3,
        shellFailures: 3,
        textOnly: 2,
        siblings: 10,
      },
      truncation: { max: 3, scope: 'step', toolCalls: 'discard', onExhausted: 'accept', join: true },
      empty: { max: 2, thinkingNudge: true, onExhausted: 'accept' },
      intent: { max: 2, total: 0, onExhausted: 'fail', artifacts: true, needsTools: false },
      verify: { maxNudges: 2, onExhausted: 'accept' },
      tasks: { maxNudges: 3, onForcedText: 'fail' },
      compile: { maxNudges: 8, everyEdits: 5, onExhausted: 'accept' },
      budget: { soft: 0.75, forceTextAt: 0.8, onExceeded: 'wrap_up', recover: true, recoverGrant: 0.1 },
      context: {
        strategy: 'staged',
        warnAt: 0.8,
        foldAt: 0.9,
        hardAt: 0.98,
        cooldownSeconds: 60,
        workLogTokens: 1_500,
        recall: true,
      },
      // 720 of 900 s.
      time: { soft: 0.8 },
      injections: { budgetTokens: 1_500, recitation: [10, 7, 5, 3], failures: 5 },
      retry: { ...quiet.retry, jitter: [0.75, 1.25] },
    },
    limits: {
      maxSteps: 100,
      timeoutSeconds: 900,
      tokenBudget: 200_000,
      costLimitUsd: 1,
      maxCallsPerReply: 25,
      maxFailuresInARow: 5,
      maxParallelCalls: 5,
      batchWindowShare: 0.9,
      maxToolOutputChars: 8_000,
      maxToolCalls: 0,
      graceStep: true,
      ...triesOnly,
    },
  },
} satisfies Record<string, Preset>;

/** A preset of guardrails by its name (docs/reference/presets.md). */
export type PresetName = keyof typeof presets;
