import type { TenantBudgets } from './tenant-budgets.ts';

/** Nothing is limited. */
export const noBudgets: TenantBudgets = {
  reserve: async () => ({ kind: 'reserved' }),
  settle: async () => undefined,
};
