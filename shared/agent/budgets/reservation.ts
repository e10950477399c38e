import type { SessionKey } from '../../contract/session.ts';
import type { Amount, Dimension } from './amount.ts';
import type { BudgetDay, Hold } from './store.ts';

/**
 * A tenant's budgets for a day (docs/budgets.md). An amount is reserved before each model call, so that sessions of one tenant
 * that run at once cannot pass its limit together, and is settled after the call.
 */
export interface TenantBudgets {
  /** Reserves `amount` for the model call of the attempt `epoch`. Idempotent. */
  reserve(key: SessionKey, epoch: number, amount: Amount): Promise<Reserved>;
  /**
   * Ends a reservation with what was bought. Idempotent. A reservation that is never settled stays charged in full until the end
   * of its day, because a dead attempt may have bought all of it.
   */
  settle(reservation: Reservation, actual: Amount): Promise<void>;
}

export type Reserved =
  /** Has no reservation where nothing is limited. */
  | { readonly kind: 'reserved'; readonly reservation?: Reservation }
  | Exceeded
  /** A later attempt of the session has reserved, so this attempt is over. */
  | { readonly kind: 'superseded' };

export interface Exceeded {
  readonly kind: 'exceeded';
  readonly tenant: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly dimension: Dimension;
  /** The limit of that dimension for the day. */
  readonly limit: number;
}

export interface Reservation {
  readonly day: BudgetDay;
  readonly hold: Hold;
}
