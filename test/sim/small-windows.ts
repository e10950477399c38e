import { nothing } from '../../shared/agent/budgets/amount.ts';
import type { Random } from './random.ts';
import type { ContextWorkload, RunBudget, Workload } from './workloads.ts';

/** A window of a few steps. The agent's system text and tools take about 1,000 tokens of it. */
export function folding(random: Random): Partial<Workload> & { readonly context: ContextWorkload } {
  const rate = random.pick([1, 1, 1, 1.3, 2]);
  const budget = random.chance(0.35) ? runBudget(random) : undefined;
  return {
    leaseMs: 25_000,
    messages: random.between(3, 10),
    letters: random.pick([0, 400, 1_000, 3_000]),
    toolLetters: budget?.recover ? 1_800 : random.pick([0, 400, 1_800]),
    apartMs: random.pick([2_000, 20_000]),
    toolRate: budget?.recover ? 0.9 : random.pick([0.3, 0.7, 0.9]),
    tools: random.pick([
      ['look', 'put', 'pay'],
      ['look', 'look', 'fetch', 'ask_user'],
    ]),
    decisions: 3,
    maxOutput: 2_000,
    pieceMs: random.pick([20, 300, 300, 3_000]),
    older: random.pick([0, 0, 0, 0.2]),
    context: {
      // A context that is already small has nothing to leave out for a budget.
      window: budget?.recover ? 12_000 : random.pick([2_400, 3_200, 5_000]),
      reserve: random.pick([100, 300]),
      strategy: random.pick(['staged', 'staged', 'staged', 'compact', 'sliding_window', 'none']),
      maxChars: random.pick([0, 400, 400, 400, 1_200]),
      summarizer: random.chance(0.2),
      rate,
    },
    ...(budget && { runBudget: budget }),
    // A call reserves some thousand tokens, with output at five times their price. This is an estimate, which a server
    // that counts more exceeds.
    tenantLimits:
      rate === 1 && random.chance(0.3)
        ? {
            tokens: random.pick([0, 12_000, 40_000]),
            microUsd: random.pick([0, 15_000, 50_000]),
            steps: random.pick([0, 4, 9]),
          }
        : nothing,
  };
}

/** A run's limits, which some of its requests, or their summaries, reach. */
function runBudget(random: Random): RunBudget {
  const recover = random.chance(0.5);
  return {
    tokens: random.pick(recover ? [0, 12_000, 20_000] : [0, 4_000, 10_000, 25_000]),
    usd: random.pick(recover ? [0.012, 0.03] : [0, 0.004, 0.012, 0.03]),
    recover,
    onExceeded: random.pick(['halt', 'halt', 'wrap_up']),
  };
}

/** The same in addition to another workload, whose limits, tools and workers stay. */
export function foldingBeside(random: Random): Partial<Workload> {
  const { messages, letters, toolLetters, toolRate, maxOutput, older, context } = folding(random);
  return { messages, letters, toolLetters, toolRate, maxOutput, older, context: { ...context, rate: 1 } };
}
