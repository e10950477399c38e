import type { Amount } from './amount.ts';
import type { Root, Shard } from './escrow.ts';

/**
 * The items of tenants' budgets. Every operation reads or writes one item, and is atomic. Each may reject if the service cannot
 * be reached, and may then have been applied or not; applying it twice has no further effect.
 */
export interface BudgetStore {
  /** The tenant's own limits, which override the deployment's. Rejects if they are invalid. */
  limits(tenant: string): Promise<Partial<Amount>>;
  /** The current root, strongly consistent; empty if there is none. */
  root(day: BudgetDay): Promise<Root>;
  /** Writes the root if its `rev` is still the one before `next`. Returns the stored root. */
  putRoot(day: BudgetDay, next: Root): Promise<Root>;
  shard(day: BudgetDay, n: number): Promise<Shard>;
  /**
   * Changes `seen` into `next` if neither account has moved since `seen` and enough is left for what `next` takes. Returns the
   * stored shard. Reservations made meanwhile are kept.
   */
  move(day: BudgetDay, n: number, seen: Shard, next: Shard): Promise<Shard>;
  /**
   * Takes a reservation from what is left, if there is enough and the session has none by this epoch or a later one. A
   * reservation of an earlier epoch is forgotten and not returned: that attempt died, and may have bought all of it.
   */
  hold(day: BudgetDay, n: number, hold: Hold): Promise<HoldResult>;
  /** Ends a reservation once: returns the rest if `actual` is lower, and takes the difference if it is higher. */
  settle(day: BudgetDay, n: number, hold: Hold, actual: Amount): Promise<void>;
}

/** A tenant's day in UTC, `YYYY-MM-DD`. */
export interface BudgetDay {
  readonly tenant: string;
  readonly day: string;
}

/** The reservation of one attempt. A session has one reservation at a time, and its epoch says which attempt made it. */
export interface Hold {
  readonly sessionId: string;
  readonly epoch: number;
  readonly amount: Amount;
}

export type HoldResult =
  /** Also if an earlier try was applied and its response was lost. */
  | { readonly kind: 'held' }
  /** A later epoch has reserved. */
  | { readonly kind: 'superseded' }
  /** Not enough is left in the shard. */
  | { readonly kind: 'short'; readonly shard: Shard };
