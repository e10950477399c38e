import { dimensions } from '../../shared/agent/budgets/amount.ts';
import type { TenantBudgets } from '../../shared/agent/budgets/reservation.ts';
import type { BudgetDay, BudgetStore } from '../../shared/agent/budgets/store.ts';
import { tenantBudgets } from '../../shared/agent/budgets/tenant-budgets.ts';
import { booksOf, budgetChecks, refusalChecks } from './invariants/budgets.ts';
import { chargedDeaths, check } from './ledger.ts';
import type { Caller } from './network.ts';
import { type Call, through } from './ports.ts';
import type { World } from './world.ts';

/** Budgets as one invocation sees them: every item is a call over the network. The answers are recorded. */
export function budgetsFor(caller: Caller, world: World, call: Call): TenantBudgets {
  const { ledger, workload, scheduler, memory } = world;
  const { trace } = scheduler;
  const store: BudgetStore = {
    ...through('budgets', memory.budgetStore, call),
    hold: (day, n, hold) =>
      call('budgets.hold', async () => {
        const { charged, holds } = booksOf(ledger, day);
        const before = { ...charged };
        const answer = await changing(world, day, n, () => memory.budgetStore.hold(day, n, hold));
        const took = dimensions.some((d) => charged[d] > before[d]);
        if (took && holds.get(hold.sessionId) === hold.epoch)
          ledger.violate('12 an attempt reserves once', `${hold.sessionId} epoch ${hold.epoch}`);
        if (took) holds.set(hold.sessionId, hold.epoch);
        trace.say(
          caller.id,
          'hold',
          answer.kind,
          hold.sessionId,
          day.day,
          `epoch ${hold.epoch}`,
          hold.amount.tokens,
        );
        return answer;
      }),
    settle: (day, n, hold, actual) =>
      call('budgets.settle', async () => {
        await changing(world, day, n, () => memory.budgetStore.settle(day, n, hold, actual));
        const { holds } = booksOf(ledger, day);
        if (holds.get(hold.sessionId) === hold.epoch) holds.delete(hold.sessionId);
        trace.say(caller.id, 'settle', hold.sessionId, day.day, `epoch ${hold.epoch}`, actual.tokens);
      }),
  };
  const budgets = tenantBudgets(workload.tenantLimits, store, caller.host.clock);
  return {
    async reserve(key, epoch, amount) {
      // A refused reservation reaches no model server, but earlier dead attempts are charged all the same.
      const claim = ledger.claims.get(caller.id);
      // A written token costs five times as much as a read one, so this many may be written.
      const written = (amount.microUsd - amount.tokens) / 4;
      if (claim) claim.lost = chargedDeaths(claim) * (amount.tokens - written);
      const given = new Map([...ledger.books].map(([id, { givenBack }]) => [id, { ...givenBack }]));
      const reserved = await budgets.reserve(key, epoch, amount);
      trace.say(caller.id, 'reserve', reserved.kind, key.sessionId, `epoch ${epoch}`);
      if (reserved.kind === 'reserved' && reserved.reservation) {
        const { day } = reserved.reservation;
        ledger.reserved.set(caller.id, { day, amount });
      }
      if (reserved.kind === 'exceeded') {
        const { tenant, day, dimension, limit } = reserved;
        const books = booksOf(ledger, { tenant, day });
        const before = given.get(`${tenant} ${day}`)?.[dimension] ?? 0;
        const left = limit - books.charged[dimension];
        const freed = books.givenBack[dimension] - before;
        check(ledger, refusalChecks, { tenant, day, dimension, left, freed, amount: amount[dimension] });
      }
      return reserved;
    },
    settle: (reservation, actual) => budgets.settle(reservation, actual),
  };
}

/** Runs an operation that takes from or gives to a shard, and keeps the books. */
async function changing<T>(
  { memory, ledger, workload }: World,
  day: BudgetDay,
  n: number,
  operation: () => Promise<T>,
): Promise<T> {
  const before = (await memory.budgetStore.shard(day, n)).left;
  const answer = await operation();
  const after = (await memory.budgetStore.shard(day, n)).left;
  const books = booksOf(ledger, day);
  for (const d of dimensions) {
    const taken = before[d] - after[d];
    books.charged[d] += taken;
    if (taken < 0) books.givenBack[d] -= taken;
  }
  check(ledger, budgetChecks, { day, books, limits: workload.tenantLimits });
  return answer;
}

const gaveUp = () => ({ kind: 'gave_up' }) as const;

/** At rest, without faults: everything that is left of a day can be reserved, to the last token, and nothing more. */
export async function checkBudgetsAtRest({ ledger, memory, workload }: World): Promise<void> {
  const limits = workload.tenantLimits;
  for (const books of ledger.books.values()) {
    const { tenant, day } = books.day;
    const clock = { now: () => Date.parse(`${day}T12:00:00Z`) };
    const budgets = tenantBudgets(limits, memory.budgetStore, clock);
    const left = { tokens: 0, microUsd: 0, steps: 0 };
    for (const d of dimensions) left[d] = limits[d] > 0 ? Math.max(0, limits[d] - books.charged[d]) : 0;
    // Without a writer beside it, a reservation that gives up has met a store that contradicts itself.
    const all = await budgets.reserve({ tenant, sessionId: 'probe' }, 1, left).catch(gaveUp);
    if (all.kind !== 'reserved')
      ledger.violate(
        '12 no call is refused while enough is left',
        `${tenant} ${day}: ${JSON.stringify(left)} is left`,
      );
    for (const d of dimensions) {
      if (limits[d] === 0) continue;
      const one = { tokens: 0, microUsd: 0, steps: 0, [d]: 1 };
      const more = await budgets.reserve({ tenant, sessionId: `probe-${d}` }, 1, one).catch(gaveUp);
      if (more.kind !== 'exceeded')
        ledger.violate(
          '12 no call gets more than is left',
          `${tenant} ${day}: one more of ${d} than its limit`,
        );
    }
  }
}
