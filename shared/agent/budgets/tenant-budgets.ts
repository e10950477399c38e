import { type Amount, amountOf, isNothing } from './amount.ts';
import { noBudgets } from './none.ts';
import type { TenantBudgets } from './reservation.ts';
import { reserve, shardOf } from './reserve.ts';
import type { BudgetStore } from './store.ts';

/**
 * @param limits per UTC day, for every tenant without limits of its own; 0 = unlimited.
 */
export function tenantBudgets(limits: Amount, store: BudgetStore, clock: { now(): number }): TenantBudgets {
  // Without any limit the store is not called, so a step costs nothing more.
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
