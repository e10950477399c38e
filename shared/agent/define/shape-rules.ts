import { quiet } from '../config/presets.ts';

/** The largest window that a definition may say: a shape reads all of its conversation, at no price. */
const WINDOW = 10_000_000;

/**
 * Settings of a shape. Its replies are computed, so no guard has anything to correct, and no limit on replies or calls protects from
 * anything. Budgets, deadlines and cancels hold as for every agent.
 */
export const quietRules = {
  model: {
    server: 'none',
    window: WINDOW,
    maxTokens: 1,
    price: { input: 0, output: 0 },
  },
  rules: {
    context: { time: 'off', caller: false },
    toolSearch: false,
    limits: {
      maxSteps: 10_000,
      maxToolCalls: 0,
      maxCallsPerReply: 256,
      maxFailuresInARow: 0,
      batchWindowShare: 0,
    },
    guardrails: {
      ...quiet,
      loop: { ...quiet.loop, enabled: false },
      verify: { ...quiet.verify, contract: 'none' },
      // At a limit it reports what it has.
      budget: {
        ...quiet.budget,
        onExceeded: 'wrap_up',
        chargeLostAttempts: false,
        reserveTokens: 0,
        reserveCostFraction: 0,
      },
      context: { strategy: 'none' },
    },
  },
} as const;
