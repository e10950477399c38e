import type { TenantBudgets } from './reservation.ts';

/** Nothing is limited. */
export const noBudgets: TenantBudgets = {
  reserve: async () => ({ kind: 'reserved' }),
  settle: async () => undefined,
};
