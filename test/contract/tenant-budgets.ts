import { beforeEach, describe, expect, test } from 'vitest';
import { type Amount, nothing, plus } from '../../shared/agent/budgets/amount.ts';
import { giveBack, grant, newRoot, newShard, receive, SHARDS } from '../../shared/agent/budgets/escrow.ts';
import type { TenantBudgets } from '../../shared/agent/budgets/reservation.ts';
import { shardOf } from '../../shared/agent/budgets/reserve.ts';
import type { BudgetStore, Hold } from '../../shared/agent/budgets/store.ts';
import { dayOf, tenantBudgets } from '../../shared/agent/budgets/tenant-budgets.ts';
import { now } from './harness.ts';

/** Makes a new, empty store for each test, with these limits set by tenants. */
export type OpenBudgets = (limits?: Readonly<Record<string, Partial<Amount>>>) => Promise<BudgetStore>;

const tokens = (n: number): Amount => ({ ...nothing, tokens: n });
const day = { tenant: 'acme', day: dayOf(now) };
const of = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });
/** A session for every shard, in order of the shards. */
const spread = Array.from({ length: SHARDS }, (_, n) => {
  for (let i = 0; ; i++) if (shardOf(`s${i}`) === n) return `s${i}`;
});

export async function reserved(budgets: TenantBudgets, sessionId: string, epoch: number, amount: Amount) {
  const answer = await budgets.reserve(of(sessionId), epoch, amount);
  if (answer.kind !== 'reserved' || !answer.reservation) throw new Error(`not reserved but ${answer.kind}`);
  return answer.reservation;
}

/** How much of `tokens` can still be reserved, tried with sessions that are new. */
export async function leftOf(budgets: TenantBudgets, most: number): Promise<number> {
  let left = 0;
  for (let step = most; step >= 1; step = Math.floor(step / 2)) {
    for (
      let i = 0;
      (await budgets.reserve(of(`left-${step}-${i}`), 1, tokens(step))).kind === 'reserved';
      i++
    )
      left += step;
  }
  return left;
}

/** A tenant's budget for a day, on the items of one store. */
export function tenantBudgetsContract(name: string, open: OpenBudgets): void {
  describe(`${name}: the budget of a day`, () => {
    let store: BudgetStore;
    let budgets: TenantBudgets;
    beforeEach(async () => {
      store = await open();
      budgets = tenantBudgets(tokens(1_000), store, { now: () => now });
    });

    test.each(['constructor', 'toString', 'hasOwnProperty'])(
      'a session named %s is held and settled like any other',
      async (sessionId) => {
        const reservation = await reserved(budgets, sessionId, 1, tokens(600));
        expect((await budgets.reserve(of(sessionId), 2, tokens(600))).kind).toBe('exceeded');
        await budgets.settle(reservation, tokens(100));
        expect((await budgets.reserve(of(sessionId), 3, tokens(900))).kind).toBe('reserved');
      },
    );

    test('can be reserved to the last token, and not beyond', async () => {
      await reserved(budgets, 's1', 1, tokens(999));
      await reserved(budgets, 's2', 1, tokens(1));
      expect(await budgets.reserve(of('s3'), 1, tokens(1))).toEqual({
        kind: 'exceeded',
        ...day,
        dimension: 'tokens',
        limit: 1_000,
      });
    });

    test('is found in any shard: what other shards have left is given back', async () => {
      for (const sessionId of spread) {
        const reservation = await reserved(budgets, sessionId, 1, tokens(100));
        await budgets.settle(reservation, tokens(10));
      }
      // 920 are left, most of them in shards.
      await reserved(budgets, 'big', 1, tokens(920));
      expect(await budgets.reserve(of('more'), 1, tokens(1))).toMatchObject({ kind: 'exceeded' });
    });

    test('is shared by sessions that reserve at once', async () => {
      const asked = Array.from({ length: 24 }, (_, i) => budgets.reserve(of(`s${i}`), 1, tokens(99)));
      const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(10);
      expect(await leftOf(budgets, 64)).toBe(10);
    });

    test('settling releases what was not used, once', async () => {
      const reservation = await reserved(budgets, 's1', 1, tokens(600));
      await budgets.settle(reservation, tokens(100));
      await budgets.settle(reservation, tokens(100));
      expect(await leftOf(budgets, 512)).toBe(900);
    });

    test('settling takes what was used beyond the reservation', async () => {
      await budgets.settle(await reserved(budgets, 's1', 1, tokens(100)), tokens(150));
      expect(await leftOf(budgets, 512)).toBeLessThanOrEqual(900);
      expect(await budgets.reserve(of('s1'), 2, tokens(1))).toMatchObject({ kind: 'exceeded' });
    });

    test('the same attempt reserves once', async () => {
      await reserved(budgets, 's1', 1, tokens(600));
      await reserved(budgets, 's1', 1, tokens(600));
      expect(await leftOf(budgets, 512)).toBe(400);
    });

    test('an attempt that died is charged in full when the next one reserves', async () => {
      const dead = await reserved(budgets, 's1', 1, tokens(300));
      const next = await reserved(budgets, 's1', 2, tokens(300));
      await budgets.settle(dead, nothing);
      await budgets.settle(next, tokens(50));
      expect(await leftOf(budgets, 512)).toBe(650);
    });

    test('a zombie cannot reserve after the next attempt has', async () => {
      await reserved(budgets, 's1', 2, tokens(300));
      expect(await budgets.reserve(of('s1'), 1, tokens(300))).toEqual({ kind: 'superseded' });
      expect(await leftOf(budgets, 512)).toBe(700);
    });

    test('dollars and steps have separate limits', async () => {
      const both = tenantBudgets({ tokens: 0, microUsd: 1_000, steps: 2 }, store, { now: () => now });
      const call = { tokens: 5_000, microUsd: 400, steps: 1 };
      expect(await both.reserve(of('s1'), 1, { ...call, microUsd: 1_001 })).toMatchObject({
        dimension: 'microUsd',
      });
      await reserved(both, 's1', 1, call);
      await reserved(both, 's2', 1, call);
      expect(await both.reserve(of('s3'), 1, { ...call, microUsd: 200 })).toMatchObject({
        dimension: 'steps',
        limit: 2,
      });
    });

    test('another tenant and another day have separate budgets', async () => {
      await reserved(budgets, 's1', 1, tokens(1_000));
      expect(await budgets.reserve(of('s1', 'birch'), 1, tokens(1_000))).toMatchObject({ kind: 'reserved' });
      const tomorrow = tenantBudgets(tokens(1_000), store, { now: () => now + 86_400_000 });
      expect(await tomorrow.reserve(of('s1'), 2, tokens(1_000))).toMatchObject({ kind: 'reserved' });
    });

    test('a tenant’s limits take precedence over the deployment’s', async () => {
      const own = await open({ acme: { tokens: 5_000, steps: 1 }, birch: { tokens: 0 } });
      const limited = tenantBudgets(tokens(1_000), own, { now: () => now });
      await reserved(limited, 's1', 1, { ...tokens(4_000), steps: 1 });
      expect(await limited.reserve(of('s2'), 1, { ...nothing, steps: 1 })).toMatchObject({
        dimension: 'steps',
      });
      expect(await limited.reserve(of('s1', 'birch'), 1, tokens(1e9))).toMatchObject({ kind: 'reserved' });
      expect(await limited.reserve(of('s1', 'cedar'), 1, tokens(1_001))).toMatchObject({ kind: 'exceeded' });
    });

    test('a limit that is changed during the day applies from the next draw on', async () => {
      await reserved(budgets, 's1', 1, tokens(1_000));
      const raised = tenantBudgets(tokens(1_500), store, { now: () => now });
      expect(await leftOf(raised, 512)).toBe(500);
      const lowered = tenantBudgets(tokens(1_200), store, { now: () => now });
      expect(await lowered.reserve(of('s9'), 1, tokens(1))).toMatchObject({ kind: 'exceeded' });
    });
  });

  describe(`${name}: the items of a budget`, () => {
    let store: BudgetStore;
    const hold = (amount: number, epoch = 1): Hold => ({ sessionId: 's1', epoch, amount: tokens(amount) });
    const root = grant(newRoot, 3, tokens(100));
    const granted = receive(newShard, root.shards[3] ?? newShard);
    beforeEach(async () => {
      store = await open();
    });

    test('a missing item is empty', async () => {
      expect(await store.root(day)).toEqual(newRoot);
      expect(await store.shard(day, 3)).toEqual(newShard);
      expect(await store.limits('acme')).toEqual({});
      expect(await store.hold(day, 3, hold(1))).toEqual({ kind: 'short', shard: newShard });
    });

    test('a root is written over the one that was seen only', async () => {
      expect(await store.putRoot(day, root)).toEqual(root);
      expect(await store.putRoot(day, grant(newRoot, 4, tokens(7)))).toEqual(root);
      const second = grant(root, 4, tokens(7));
      expect(await store.putRoot(day, second)).toEqual(second);
      expect(await store.putRoot(day, grant(root, 5, tokens(7)))).toEqual(second);
      expect(await store.root(day)).toEqual(second);
    });

    test('a grant is received once', async () => {
      expect(await store.move(day, 3, newShard, granted)).toEqual(granted);
      expect(await store.move(day, 3, newShard, granted)).toEqual(granted);
      expect((await store.shard(day, 3)).left).toEqual(tokens(100));
    });

    test('what was reserved meanwhile stays reserved', async () => {
      await store.move(day, 3, newShard, granted);
      await store.hold(day, 3, hold(60));
      const more = receive(granted, grant(root, 3, tokens(50)).shards[3] ?? newShard);
      expect((await store.move(day, 3, granted, more)).left).toEqual(tokens(90));
    });

    test('only what is left is given back', async () => {
      await store.move(day, 3, newShard, granted);
      await store.hold(day, 3, hold(60));
      const shard = await store.shard(day, 3);
      expect(await store.move(day, 3, granted, giveBack(granted, tokens(41)))).toEqual(shard);
      const back = giveBack(shard, tokens(40));
      expect(await store.move(day, 3, shard, back)).toEqual(back);
      expect(await store.move(day, 3, shard, back)).toEqual(back);
      expect((await store.shard(day, 3)).left).toEqual(nothing);
    });

    test('a reservation that does not fit returns what is left', async () => {
      await store.move(day, 3, newShard, granted);
      expect(await store.hold(day, 3, hold(101))).toEqual({ kind: 'short', shard: granted });
      expect(await store.hold(day, 3, hold(100))).toEqual({ kind: 'held' });
    });

    test('a reservation that is repeated takes its amount once, also while there is room for two', async () => {
      await store.move(day, 3, newShard, granted);
      for (let n = 1; n <= 3; n++) expect(await store.hold(day, 3, hold(30, 2))).toEqual({ kind: 'held' });
      expect((await store.shard(day, 3)).left).toEqual(tokens(70));
      expect(await store.hold(day, 3, hold(30, 1))).toEqual({ kind: 'superseded' });
      expect((await store.shard(day, 3)).left).toEqual(tokens(70));
      expect(await store.hold(day, 3, hold(30, 3))).toEqual({ kind: 'held' });
      expect((await store.shard(day, 3)).left).toEqual(tokens(40));
    });

    test('a reservation is settled only by its own epoch', async () => {
      await store.move(day, 3, newShard, granted);
      await store.hold(day, 3, hold(60, 2));
      await store.settle(day, 3, hold(60, 1), nothing);
      expect((await store.shard(day, 3)).left).toEqual(tokens(40));
      await store.settle(day, 3, hold(60, 2), tokens(10));
      expect((await store.shard(day, 3)).left).toEqual(plus(tokens(40), tokens(50)));
    });

    test('a reservation is settled once', async () => {
      await store.move(day, 3, newShard, granted);
      await store.hold(day, 3, hold(60));
      for (let n = 1; n <= 2; n++) await store.settle(day, 3, hold(60), tokens(10));
      expect((await store.shard(day, 3)).left).toEqual(tokens(90));
    });

    test('a session with an odd name reserves too', async () => {
      await store.move(day, 3, newShard, granted);
      const odd = { ...hold(60), sessionId: '0-_constructor' };
      expect(await store.hold(day, 3, odd)).toEqual({ kind: 'held' });
      expect(await store.hold(day, 3, odd)).toEqual({ kind: 'held' });
    });
  });
}
