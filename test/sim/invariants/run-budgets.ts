/**
 * Invariant 12, budgets of runs (A11, T5): a run over its limit asks no model, and a run that ends so has reached it.
 */

import type { Slot } from '../../../shared/agent/session/slots.ts';
import type { Checks, Claim, SessionFacts } from '../ledger.ts';
import { type Account, runBooks, usdOf } from '../served.ts';
import type { RunBudget } from '../workloads.ts';
import { foldIn } from './prefix.ts';
import { runIdFor } from './prompts.ts';

/** Share by which a limit is raised, once per run. It is so large that one more request rarely exceeds it. */
export const GRANT = 0.5;

/** A model call in a run with limits. */
export interface AskedInBudget {
  readonly facts: SessionFacts;
  readonly claim: Claim;
  readonly budget: RunBudget;
  readonly textOnly: boolean;
  readonly summary: boolean;
}

/** Whether tokens or dollars have reached their limit, or the limit raised by a share. */
export function isOver({ tokens, usd }: RunBudget, sold: Account, raisedBy = 0): boolean {
  const of = (limit: number) => limit * (1 + raisedBy);
  const used = sold.input + sold.output;
  return (tokens > 0 && used >= of(tokens)) || (usd > 0 && usdOf(sold) >= of(usd) - 1e-9);
}

export const runBudgetChecks: Checks<AskedInBudget> = {
  '12 a run over its budget asks no model': ({ facts, claim, budget, textOnly }) => {
    const books = runBooks(facts.served, runIdFor(claim));
    // One final reply.
    const speaks = budget.onExceeded === 'wrap_up' && textOnly;
    return !speaks && isOver(budget, books, budget.recover ? GRANT : 0)
      ? `${runIdFor(claim)} has used ${books.input} + ${books.output}`
      : undefined;
  },

  '12 a limit is raised for a smaller context': ({ facts, claim, budget, textOnly, summary }) => {
    const runId = runIdFor(claim);
    const smaller = facts.stored.some((slot: Slot) => slot.runId === runId && foldIn(slot)?.why === 'budget');
    return !textOnly && !summary && !facts.older && !smaller && isOver(budget, runBooks(facts.served, runId))
      ? `${runId} goes on over its limit, and its context was not made smaller`
      : undefined;
  },
};
