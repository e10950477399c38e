import type { Totals } from '../../contract/session.ts';
import type { Guardrails, Limits } from '../define.ts';
import { type Session, totalTokens } from '../session.ts';
import { defineGuard, type Halt, type Warn } from './guard.ts';

type BudgetLimits = Pick<Limits, 'tokenBudget' | 'costLimitUsd' | 'scope'>;
type Reserve = Pick<Guardrails, 'reserveTokens' | 'reserveCostFraction'>;

/**
 * Ends a run whose tokens or dollars have reached their limit (A11), and warns once when they come near (A16).
 * Checked before the model is called, and after its reply is accounted, before any tool runs.
 */
export const budgetGuard = (limits: BudgetLimits, reserve: Reserve) =>
  defineGuard<{ warned: boolean }>({
    name: 'budget',
    scope: 'run',
    initial: { warned: false },
    hooks: {
      preflight: (_state, { session }) => {
        const verdict = exceeded(spent(session, limits), limits);
        return verdict && { verdict };
      },
      reply: ({ warned }, { session }) => {
        const totals = spent(session, limits);
        const verdict = exceeded(totals, limits);
        if (verdict) return { verdict };
        if (warned || !nearBudget(totals, limits, reserve)) return undefined;
        return { state: { warned: true }, verdict: nearWarning(totals, limits) };
      },
    },
  });

/** Whether little is left: a limit of 0 never triggers its half (A16). */
export function nearBudget(totals: Totals, limits: BudgetLimits, reserve: Reserve): boolean {
  const { tokenBudget, costLimitUsd } = limits;
  const fewTokens = tokenBudget > 0 && tokenBudget - totalTokens(totals) <= reserve.reserveTokens;
  const fewDollars =
    costLimitUsd > 0 && costLimitUsd - totals.costUsd <= costLimitUsd * reserve.reserveCostFraction;
  return fewTokens || fewDollars;
}

const spent = (session: Session, limits: BudgetLimits): Totals =>
  limits.scope === 'run' && session.run ? session.run.totals : session.totals;

/** Tokens first, then dollars; at the limit is over it (A11). */
function exceeded(totals: Totals, { tokenBudget, costLimitUsd }: BudgetLimits): Halt | undefined {
  const halt = { kind: 'halt', state: 'budget_exceeded' } as const;
  if (tokenBudget > 0 && totalTokens(totals) >= tokenBudget) {
    const message = `${totalTokens(totals)} of ${tokenBudget} tokens are used.`;
    return { ...halt, reason: 'token_budget', code: 'token_budget', message };
  }
  if (costLimitUsd > 0 && totals.costUsd >= costLimitUsd) {
    const message = `$${totals.costUsd.toFixed(4)} of $${costLimitUsd} are spent.`;
    return { ...halt, reason: 'cost_limit', code: 'cost_limit', message };
  }
  return undefined;
}

const nearWarning = (totals: Totals, limits: BudgetLimits): Warn => ({
  kind: 'warn',
  code: 'near_budget',
  message: `Near the budget: ${totalTokens(totals)} tokens and $${totals.costUsd.toFixed(4)} used of ${limits.tokenBudget || 'unlimited'} tokens and $${limits.costLimitUsd || 'unlimited'}.`,
});
