import type { GuardrailsInput } from './guardrails.ts';
import type { LimitsInput } from './limits.ts';

/**
 * What a preset sets, under the keys that a definition sets itself. Data: everything survives JSON. Who is asked before a
 * call is not among it: an agent says that itself (`approvals`).
 */
export interface Preset {
  readonly guardrails: GuardrailsInput;
  readonly limits: LimitsInput;
}

const noThresholds = { warn: 0, block: 0, halt: 0 };

const noCycles = { advise: 0, refuse: 0, halt: 0 };

/** Every mechanism off. The four systems that presets are modelled on have few each. */
const quiet = {
  loop: {
    news: 'counted',
    cycles: { ...noCycles, poll: noCycles },
    stepRepeat: { limit: 0, resultAware: 'poll_tools' },
    callStreak: { exact: 0, fuzzy: 0, read: { limit: 0, warnAt: 0 }, bash: { limit: 0 } },
    counts: { idempotent: noThresholds, mutating: noThresholds },
    noProgress: { warn: 0, halt: 0 },
    window: { detectors: [] },
    noMutation: { levels: [] },
  },
  reads: { budget: 0 },
  nudges: { testFix: 0, shellFailures: 0, textOnly: 0 },
  truncation: { max: 0, scope: 'run', toolCalls: 'discard', onExhausted: 'accept', join: false },
  empty: { max: 0, thinkingNudge: false, onExhausted: 'accept' },
  intent: { max: 0, onExhausted: 'accept', artifacts: false, needsTools: false },
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

/** As many calls of a reply as it likes, whatever comes of them. */
const wholeBatches = { maxCallsPerReply: 256, maxFailuresInARow: 0, batchWindowShare: 0 };

/** As many calls as a run likes. */
const noCallLimits = { maxToolCalls: 0, ...wholeBatches };

/** The sources count their tries, and outlast nothing. */
const triesOnly = { outageSeconds: 0 };

/** Loop Guard as its source is now (L-rows): the counts only stop what is stuck, and Loop Detection is on. */
const loopGuard = {
  ...quiet.loop,
  // L2, L3; L12.
  counts: {
    idempotent: { warn: 5, block: 8, halt: 12 },
    mutating: { warn: 3, block: 5, halt: 7 },
    gate: 'stuck',
  },
  // L6.
  noProgress: { warn: 4, halt: 8 },
  // L13.
  window: {
    size: 30,
    warn: 10,
    critical: 20,
    detectors: ['generic_repeat', 'poll_no_progress', 'ping_pong'],
  },
} satisfies GuardrailsInput['loop'];

/** The presets: the columns of docs/presets.md, and one for talking to people. Each number names its row. */
export const presets = {
  /** The "Ship" column: the defaults of every key. */
  default: { guardrails: {}, limits: {} },

  /**
   * For agents that talk to people. Theirs is to say what an answer is worth: nothing that a guard reads into its words
   * sends it back, and nothing pushes the model on to act. What keeps a run from going wrong stays as it is by
   * default: budgets, loops, cut and empty replies, failing tools. A limit ends with a word to the person.
   */
  chat: {
    guardrails: {
      loop: { noMutation: { levels: [] } },
      nudges: { testFix: 0, shellFailures: 0, textOnly: 0 },
      intent: { max: 0, artifacts: false },
      statusOnly: { max: 0 },
      verify: { contract: 'none' },
      // People speak of tool calls and paste them; what is written as one is text.
      parsing: { malformedCalls: 'accept' },
      toolErrors: { shellPivotAfter: 0 },
      budget: { onExceeded: 'wrap_up' },
    },
    limits: { graceStep: true },
  },

  /** S1, aar. */
  aar: {
    guardrails: {
      ...quiet,
      loop: {
        ...quiet.loop,
        // A12.
        stepRepeat: { limit: 3, resultAware: 'never', truncateValuesAt: 200 },
        // A23.
        noMutation: { levels: [8], when: 'offered', steps: 'only_reads', once: true },
      },
      // A15.
      truncation: { max: 2, scope: 'session', toolCalls: 'discard', onExhausted: 'complete', join: false },
      // A23.
      empty: { ...quiet.empty, afterFailure: 2 },
      toolErrors: { max: 0, shellPivotAfter: 2 },
      // A16.
      budget: { ...quiet.budget, reserveTokens: 512, reserveCostFraction: 0.1 },
      // A5, A6: of the whole window, and only when it is exceeded.
      context: { strategy: 'sliding_window', reserve: 0, foldAt: 1, target: 1, recall: false },
      // A8.
      retry: {
        ...quiet.retry,
        baseSeconds: 1,
        jitter: [0.5, 1.5],
        rateLimitSeconds: 30,
        rateLimitJitter: [0.8, 1.2],
      },
      // U12.
      resetOnUserMessage: false,
    },
    // A4, A3, A11, A8.
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

  /** S2, Hamr. */
  hamr: {
    guardrails: {
      ...quiet,
      loop: {
        ...quiet.loop,
        // H8, H9.
        callStreak: {
          ...quiet.loop.callStreak,
          read: { limit: 5, warnAt: 3 },
          bash: { limit: 3, stopOn: 'after_n' },
        },
        // H11.
        noMutation: { levels: [8, 9, 10], when: 'offered' },
      },
      // H10.
      reads: { budget: 64, warnFrom: 0.5 },
      // H12.
      truncation: {
        max: 2,
        scope: 'streak',
        toolCalls: 'salvage_xml',
        onExhausted: 'model_error',
        join: false,
      },
      // H19.
      parsing: { reasoningTags: 'strip', malformedCalls: 'fail' },
      // H16: its two tries are recoveries.
      empty: { max: 0, thinkingNudge: false, onExhausted: 'model_error' },
      // H3.
      intent: { ...quiet.intent, max: 3, onExhausted: 'accept' },
      // H5.
      statusOnly: { max: 2 },
      // H4.
      verify: { maxNudges: 5, onExhausted: 'accept' },
      // H13, H14, H20.
      context: {
        strategy: 'staged',
        window: 131_072,
        reserve: 8_192,
        foldAt: 1,
        keepToolTurns: 3,
        tail: { tokens: 20_000, share: 0.4 },
        summary: { maxChars: 8_000, leastChars: 1_200 },
        recall: false,
      },
      // H16.
      toolErrors: { max: 3, shellPivotAfter: 0 },
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
    // H17.
    limits: { maxSteps: 64, maxToolCalls: 192, ...wholeBatches, ...triesOnly },
  },

  /** S3, PraisonAI as it is described: the counts always stop, Loop Detection is opt-in. */
  praisonai: {
    guardrails: {
      ...quiet,
      loop: {
        ...loopGuard,
        // L2; L13.
        counts: { ...loopGuard.counts, gate: 'always' },
        window: { detectors: [] },
      },
      // L7.
      time: { ...quiet.time, activeTurnSeconds: 120 },
    },
    limits: { ...noCallLimits, ...triesOnly },
  },

  /** S3, PraisonAI as its code is now. */
  'praisonai-current': {
    guardrails: {
      ...quiet,
      loop: loopGuard,
      // L7.
      time: { ...quiet.time, activeTurnSeconds: 120 },
    },
    limits: { ...noCallLimits, ...triesOnly },
  },

  /** S4, attocode. */
  attocode: {
    guardrails: {
      ...quiet,
      loop: {
        ...quiet.loop,
        // T8.
        callStreak: { ...quiet.loop.callStreak, exact: 3, fuzzy: 4, escalateAt: [4, 6] },
      },
      // T9.
      nudges: {
        exploration: { uniqueFiles: 10, calls: 15, newFiles: 2 },
        testFix: 3,
        shellFailures: 3,
        textOnly: 2,
      },
      // T17, T18.
      truncation: { max: 3, scope: 'step', toolCalls: 'discard', onExhausted: 'accept', join: true },
      // T15, T16.
      empty: { max: 2, thinkingNudge: true, onExhausted: 'accept' },
      // T29.
      intent: { max: 2, onExhausted: 'fail', artifacts: true, needsTools: false },
      // T31.
      verify: { maxNudges: 2, onExhausted: 'accept' },
      // T32.
      tasks: { maxNudges: 3 },
      // T30.
      compile: { maxNudges: 8, everyEdits: 5, onExhausted: 'accept' },
      // T20.
      toolErrors: { max: 5, shellPivotAfter: 0 },
      // T3, T5, T19.
      budget: { soft: 0.75, forceTextAt: 0.8, onExceeded: 'wrap_up', recover: true, recoverGrant: 0.1 },
      // T28, T12.
      context: {
        strategy: 'staged',
        warnAt: 0.8,
        foldAt: 0.9,
        hardAt: 0.98,
        cooldownSeconds: 60,
        workLogTokens: 1_500,
        recall: true,
      },
      // T3: 720 of 900 s.
      time: { soft: 0.8 },
      // T13, T10, T11.
      injections: { budgetTokens: 1_500, recitation: [10, 7, 5, 3], failures: 5 },
      // U11.
      retry: { ...quiet.retry, jitter: [0.75, 1.25] },
    },
    // T3, T4, T20.
    limits: {
      maxSteps: 100,
      timeoutSeconds: 900,
      tokenBudget: 200_000,
      costLimitUsd: 1,
      maxCallsPerReply: 25,
      maxFailuresInARow: 5,
      batchWindowShare: 0.9,
      maxToolOutputChars: 8_000,
      maxToolCalls: 0,
      graceStep: true,
      ...triesOnly,
    },
  },
} satisfies Record<string, Preset>;

/** A preset of guardrails by its name (docs/presets.md). */
export type PresetName = keyof typeof presets;
