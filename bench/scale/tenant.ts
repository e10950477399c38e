import { headKey, pkOf } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import { openBudgets } from '../../shared/aws/tenant-budgets.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { HOUR, type Load, sessionSeconds, stepsASecond } from './load.ts';
import { createLedger, type Heat } from './table/ledger.ts';
import { type CountingTable, countingTable } from './table/table.ts';

/** The items that all sessions of a tenant share, at the rate of the load. */
export interface Shared {
  readonly heats: readonly Heat[];
  /** An error: an item that grew too large, or a start that was refused although there was room for it. */
  readonly wrong?: string;
}

/** Counted seconds, once as many sessions or steps end as begin. */
const COUNTED_S = { limits: 10, budgets: 1 };
/** Margin of a tenant's limits above its usage. */
const ROOM = 1.25;
const ids = { next: () => '', random: Math.random };
const START = Date.UTC(2026, 10, 22);

/**
 * The limits of a tenant (`shared/aws/limits.ts`) at the load's full rate, for a while: their cost grows with the number of
 * concurrent sessions, so a sample would not show it. A run is its HEAD, as far as the limits read it.
 *
 * @param load of this tenant alone
 */
export async function tenantLimits(load: Load): Promise<Shared> {
  const starts = load.sessions / HOUR;
  const lasts = sessionSeconds(load);
  return atFullRate({ ...{ rate: starts, lasts, counted: COUNTED_S.limits } }, (table, clock) => {
    const limits = createLimits(
      table,
      { clock, ids },
      {
        messagesPerMinute: Math.ceil(ROOM * 60 * starts),
        sessionsAtOnce: Math.ceil(ROOM * starts * lasts),
      },
    );
    return {
      async begin(key) {
        const message = await limits.message(key.tenant);
        const place = await limits.session(key);
        if (message !== 'admitted' || 'retryAfterSeconds' in place) throw new Error('a start was refused');
        const run = { startedAt: clock.now() };
        await table.put({ ...headKey(key), dueAt: clock.now(), state: 'running', run });
      },
      end: async (key) => table.drop(pkOf(key)),
    };
  });
}

/**
 * The daily budget of a tenant (`shared/aws/budgets.ts`) at the load's full rate, for a while: each model call is reserved while
 * it runs.
 *
 * @param load of this tenant alone
 */
export async function tenantBudget(load: Load): Promise<Shared> {
  const rate = stepsASecond(load);
  const amount = { tokens: 5_000, microUsd: 20_000, steps: 1 };
  const aDay = 24 * HOUR * rate;
  const limits = { tokens: 5_000 * aDay, microUsd: 20_000 * aDay, steps: aDay };
  return atFullRate({ rate, lasts: load.modelMs / 1000, counted: COUNTED_S.budgets }, (table, clock) => {
    const budgets = openBudgets(limits, { dynamo: table, clock });
    const held = new Map<string, Parameters<typeof budgets.settle>[0]>();
    return {
      async begin(key) {
        const reserved = await budgets.reserve(key, 1, amount);
        if (reserved.kind !== 'reserved' || !reserved.reservation)
          throw new Error(`a step was ${reserved.kind}`);
        held.set(key.sessionId, reserved.reservation);
      },
      async end(key) {
        const reservation = held.get(key.sessionId);
        held.delete(key.sessionId);
        if (reservation) await budgets.settle(reservation, amount);
      },
    };
  });
}

interface Rate {
  /** Begins a second. */
  readonly rate: number;
  /** Seconds from a begin to its end. */
  readonly lasts: number;
  readonly counted: number;
}

interface Doing {
  begin(key: SessionKey): Promise<void>;
  end(key: SessionKey): Promise<void>;
}

/** Begins at this rate and ends each after its time, on a manual clock. */
async function atFullRate(
  { rate, lasts, counted }: Rate,
  open: (table: CountingTable, clock: { now(): number }) => Doing,
): Promise<Shared> {
  let now = START;
  const from = START + 1.1 * lasts * 1000;
  const ledger = createLedger(() => now);
  const table = countingTable({
    ...ledger,
    count: (use) => {
      // Only the limits' view of sessions exists here.
      if (now >= from && !use.own) ledger.count(use);
    },
  });
  const doing = open(table, { now: () => now });
  // Small tenants begin so rarely that their sessions are counted for longer.
  const seconds = Math.max(counted, 20 / rate);
  const count = Math.ceil((1.1 * lasts + seconds) * rate);
  const keyOf = (n: number) => ({ tenant: 'acme', sessionId: `session-of-this-tenant-${n}` });
  const endOf = (n: number) => START + (n / rate + lasts) * 1000;
  let ended = 0;
  try {
    for (let n = 0; n < count; n++) {
      const begins = START + (n / rate) * 1000;
      for (; endOf(ended) <= begins; ended++) {
        now = endOf(ended);
        await doing.end(keyOf(ended));
      }
      now = begins;
      await doing.begin(keyOf(n));
    }
  } catch (error) {
    return { heats: ledger.heats(Math.max(1, (now - from) / 1000)), wrong: (error as Error).message };
  }
  return { heats: ledger.heats(seconds) };
}
