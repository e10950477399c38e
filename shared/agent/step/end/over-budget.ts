import type { AgUiEvent, TenantBudgetNotice } from '../../../contract/events.ts';
import { showUsd } from '../../../contract/money.ts';
import type { Dimension } from '../../budgets/amount.ts';
import type { Exceeded } from '../../budgets/reservation.ts';
import type { Ended } from '../draft.ts';

const names: Record<Dimension, TenantBudgetNotice['exceeded']> = {
  tokens: 'tokens',
  microUsd: 'usd',
  steps: 'steps',
};

/** How a run ends if its tenant's budget does not cover it, and what its clients are told. */
export function refusal({ tenant, day, dimension, limit }: Exceeded): { halt: Ended; notice: AgUiEvent } {
  const exceeded = names[dimension];
  const of = { tokens: `${limit} tokens`, usd: showUsd(limit / 1e6), steps: `${limit} steps` }[exceeded];
  return {
    halt: {
      state: 'budget_exceeded',
      reason: 'tenant_budget',
      code: `tenant_${exceeded}`,
      message: `Tenant ${tenant} has not enough left of its ${of} for ${day} (UTC); the model was not asked.`,
    },
    notice: {
      type: 'CUSTOM',
      name: 'steploop.tenant_budget',
      value: { tenant, day, exceeded, limit: exceeded === 'usd' ? limit / 1e6 : limit },
    },
  };
}
