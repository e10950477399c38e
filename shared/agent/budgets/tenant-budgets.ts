import type { SessionKey } from '../../contract/session.ts';
import { type Amount, amountOf, type Dimension, isNothing } from './amount.ts';
import { noBudgets } from './none.ts';
import { reserve, shardOf } from './reserve.ts';
import type { BudgetDay, BudgetStore, Hold } from './store.ts';

/**
 * What a tenant may use in a day (docs/budgets.md). Reserved before each model call, so that sessions of one tenant that
 * run at once cannot pass its limit together, and settled after it.
 */
export interface TenantBudgets {
  /** Reserves `amount` for the model call of the attempt `epoch`. Idempotent. */
  reserve(key: SessionKey, epoch: number, amount: Amount): Promise<Reserved>;
  /**
   * Ends a reservation with what was bought. Idempotent. What is never settled stays charged in full until the end of
   * its day: nobody knows what an attempt that died has bought.
   */
  settle(reservation: Reservation, actual: Amount): Promise<void>;
}

export type Reserved =
  /** Without a reservation where nothing is limited. */
  | { readonly kind: 'reserved'; readonly reservation?: Reservation }
  | Exceeded
  /** A later attempt of the session has reserved: this one is over. */
  | { readonly kind: 'superseded' };

export interface Exceeded {
  readonly kind: 'exceeded';
  readonly tenant: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly dimension: Dimension;
  /** Of that dimension, for the day. */
  readonly limit: number;
}

export interface Reservation {
  readonly day: BudgetDay;
  readonly hold: Hold;
}

/** @param limits of every tenant that has none of its own, per UTC day; 0 = unlimited. */
export function tenantBudgets(limits: Amount, store: BudgetStore, clock: { now(): number }): TenantBudgets {
  // Without any limit the store is not asked, and a step costs what it cost.
  if (isNothing(limits)) return noBudgets;
  return {
    async reserve({ tenant, sessionId }, epoch, amount) {
      const day = { tenant, day: dayOf(clock.now()) };
      const hold = { sessionId, epoch, amount };
      const mine = once(() => store.limits(tenant));
      const limitsOf = async () => {
        const own = await mine();
        return amountOf((d) => own[d] ?? limits[d]);
      };
      const held = await reserve(store, day, limitsOf, hold);
      switch (held.kind) {
        case 'held':
          return { kind: 'reserved', reservation: { day, hold } };
        case 'superseded':
          return held;
        case 'exceeded':
          return { ...held, ...day, limit: (await limitsOf())[held.dimension] };
        default:
          return held satisfies never;
      }
    },

    settle: ({ day, hold }, actual) => store.settle(day, shardOf(hold.sessionId), hold, actual),
  };
}

/** The UTC day of a moment. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
