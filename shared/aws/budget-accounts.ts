import { minus, nothing, plus } from '../agent/budgets/amount.ts';
import { SHARDS } from '../agent/budgets/escrow.ts';
import type { BudgetAccounts } from '../edge/budgets.ts';
import { type BudgetOptions, createBudgets, readOwn } from './budgets.ts';
import { budgetLimitsKey } from './layout.ts';

/** Budgets in DynamoDB, as people read and set them. */
export function createBudgetAccounts(options: BudgetOptions): BudgetAccounts {
  const { dynamo } = options;
  const store = createBudgets(options);
  return {
    own: (tenant) => readOwn(dynamo, tenant),
    async set(tenant, own) {
      await dynamo.put({ ...budgetLimitsKey(tenant), ...own }, []);
    },
    async used(tenant, day) {
      const shards = await Promise.all(
        Array.from({ length: SHARDS }, (_, n) => store.shard({ tenant, day }, n)),
      );
      // The use of a single shard: what its account has received, less what is left of it.
      const { tokens, microUsd, steps } = shards
        .map(({ granted, returned, left }) => minus(minus(granted.total, returned.total), left))
        .reduce(plus, nothing);
      return { tokens, usd: microUsd / 1e6, steps };
    },
  };
}
