/** Tenants' budgets, loaded when a deployment limits anything. */

import type { Amount } from '../agent/budgets/amount.ts';
import type { TenantBudgets } from '../agent/budgets/reservation.ts';
import { tenantBudgets } from '../agent/budgets/tenant-budgets.ts';
import { type BudgetOptions, createBudgets } from './budgets.ts';

export const openBudgets = (limits: Amount, options: BudgetOptions): TenantBudgets =>
  tenantBudgets(limits, createBudgets(options), options.clock);
