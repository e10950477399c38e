/** Invariant 12, budgets of tenants: spent + reserved ≤ limit at every model call. */

import { type Amount, type Dimension, dimensions } from '../../../shared/agent/budgets/amount.ts';
import type { BudgetDay } from '../../../shared/agent/budgets/store.ts';
import type { Checks, Ledger } from '../ledger.ts';

type Sum = Record<Dimension, number>;

/** The true state of a tenant's day. */
export interface Books {
  readonly day: BudgetDay;
  /** Total that the shards' own writes have taken, minus what they have given back. */
  readonly charged: Sum;
  readonly givenBack: Sum;
  /**
   * Total that the model's server has sold. A call that is running, or whose end was not observed, counts with its
   * maximum.
   */
  readonly bought: Sum;
  /** Epochs of the reservations that are not settled, by session. */
  readonly holds: Map<string, number>;
}

const zero = (): Sum => ({ tokens: 0, microUsd: 0, steps: 0 });

export function booksOf(ledger: Ledger, day: BudgetDay): Books {
  const id = `${day.tenant} ${day.day}`;
  const known = ledger.books.get(id) ?? {
    day,
    charged: zero(),
    givenBack: zero(),
    bought: zero(),
    holds: new Map(),
  };
  ledger.books.set(id, known);
  return known;
}

export function add(sum: Sum, amount: Amount, sign: 1 | -1 = 1): void {
  for (const d of dimensions) sum[d] += sign * amount[d];
}

export const budgetChecks: Checks<{ books: Books; day: BudgetDay; limits: Amount }> = {
  '12 charges stay within the limit': ({ books, day, limits }) => over(books.charged, limits, day),
};

/** Checked when a model call begins: `books` already contain its maximum. */
export const spendingChecks: Checks<{ books: Books | undefined; day: BudgetDay; limits: Amount }> = {
  '12 every model call has its reservation': ({ books, day }) =>
    books ? undefined : `${day.tenant}: the model is asked without a reservation`,
  '12 spent and reserved are within the limit': ({ books, day, limits }) =>
    books && over(books.bought, limits, day),
};

export const refusalChecks: Checks<{
  tenant: string;
  day: string;
  dimension: Dimension;
  left: number;
  freed: number;
  amount: number;
}> = {
  '12 no call is refused while enough is left': ({ tenant, day, dimension, left, freed, amount }) =>
    left - freed >= amount
      ? `${tenant} ${day}: ${amount} ${dimension} refused, ${left} left, ${freed} of it given back meanwhile`
      : undefined,
};

function over(sum: Sum, limits: Amount, { tenant, day }: BudgetDay): string | undefined {
  const d = dimensions.find((dimension) => limits[dimension] > 0 && sum[dimension] > limits[dimension]);
  return d && `${tenant} ${day}: ${sum[d]} ${d} of ${limits[d]}`;
}
