import type { Config } from './config.ts';

/** The default daily limits of a tenant, for the functions that enforce or show them. */
export const budgetEnvironment = ({ budgets }: Pick<Config, 'budgets'>) => ({
  TENANT_TOKENS_PER_DAY: String(budgets.tokensPerDay),
  TENANT_USD_PER_DAY: String(budgets.usdPerDay),
  TENANT_STEPS_PER_DAY: String(budgets.stepsPerDay),
});
