import type { Config } from './config.ts';

/** What every tenant may use in a day, for the functions that hold it and show it. */
export const budgetEnvironment = ({ budgets }: Pick<Config, 'budgets'>) => ({
  TENANT_TOKENS_PER_DAY: String(budgets.tokensPerDay),
  TENANT_USD_PER_DAY: String(budgets.usdPerDay),
  TENANT_STEPS_PER_DAY: String(budgets.stepsPerDay),
});
