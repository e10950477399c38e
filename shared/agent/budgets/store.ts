import type { Amount } from './amount.ts';
import type { Root, Shard } from './escrow.ts';

/**
 * The items of tenants' budgets. Every operation reads or writes one item, and is atomic. Each may reject when the
 * service cannot be reached, and may then have been applied or not: applied twice it means the same.
 */
export interface BudgetStore {
  /** The tenant's own limits, which go before the deployment's. Rejects when they make no sense. */
  limits(tenant: string): Promise<Partial<Amount>>;
  /** As it stands, strongly consistent; empty when there is none. */
  root(day: BudgetDay): Promise<Root>;
  /** Writes the root if its `rev` is still the one before `next`, and answers it as it then stands. */
  putRoot(day: BudgetDay, next: Root): Promise<Root>;
  shard(day: BudgetDay, n: number): Promise<Shard>;
  /**
   * Makes of `seen` what `next` says, if neither account has gone on since `seen` and as much is left as `next` takes.
   * Answers the shard as it then stands. What is reserved meanwhile stays so.
   */
  move(day: BudgetDay, n: number, seen: Shard, next: Shard): Promise<Shard>;
  /**
   * Takes a reservation off what is left, if there is enough, and none of the session's by this epoch or a later one. An
   * earlier epoch's is forgotten and not given back: that attempt died, and may have bought all of it.
   */
  hold(day: BudgetDay, n: number, hold: Hold): Promise<HoldResult>;
  /** Ends a reservation: gives back what `actual` is below it, or takes what it is above. Once. */
  settle(day: BudgetDay, n: number, hold: Hold, actual: Amount): Promise<void>;
}

/** A tenant's day in UTC, `YYYY-MM-DD`. */
export interface BudgetDay {
  readonly tenant: string;
  readonly day: string;
}

/** What one attempt reserves. A session has one reservation at a time: its epoch says whose it is. */
export interface Hold {
  readonly sessionId: string;
  readonly epoch: number;
  readonly amount: Amount;
}

export type HoldResult =
  /** Also when an earlier try was applied and its answer lost. */
  | { readonly kind: 'held' }
  /** A later epoch has reserved. */
  | { readonly kind: 'superseded' }
  /** Not enough is left in the shard. */
  | { readonly kind: 'short'; readonly shard: Shard };
