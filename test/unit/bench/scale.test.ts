import { describe, expect, test } from 'vitest';
import { benchScale } from '../../../bench/scale/bench.ts';
import { burst, isTaken } from '../../../bench/scale/burst.ts';
import { runningClock } from '../../../bench/scale/clock.ts';
import { fullestLane, isCool, judge } from '../../../bench/scale/judge.ts';
import { isSlowed, limited } from '../../../bench/scale/limited.ts';
import type { Load } from '../../../bench/scale/load.ts';
import { type Sampled, sample } from '../../../bench/scale/sample.ts';
import type { Heat } from '../../../bench/scale/table/ledger.ts';
import { tenantBudget, tenantLimits } from '../../../bench/scale/tenant.ts';

const load: Load = { sessions: 1_000_000, steps: 20, modelMs: 3600, toolMs: 400, watched: 0.5 };

describe('a sample of sessions in virtual time', () => {
  test('ends as sessions do, and counts what a step counts', async () => {
    const sampled = await sample(load, 12 / 1_000_000);
    expect(sampled).toMatchObject({ sessions: 12, completed: 12 });
    const { steps, messages, pushes, stepsAtOnce, seconds, heats } = sampled;
    // One message woke each step, which lasted as long as its model and its tool.
    expect(Math.abs(messages - steps)).toBeLessThanOrEqual(12);
    expect((stepsAtOnce * seconds) / steps).toBeCloseTo(4, 0);
    // Half of the sessions have a subscriber: only their steps push.
    expect(pushes / steps).toBeGreaterThan(1);
    const of = new Map(heats.map((heat) => [heat.kind, heat]));
    // A claim and a commit, and the writes of a four-second step between them.
    expect((of.get('HEAD')?.writes ?? 0) / steps).toBeGreaterThanOrEqual(2);
    expect(of.get('HEAD')?.writesASecond).toBeLessThan(20);
    expect(of.get('slots')?.writes).toBeGreaterThanOrEqual(steps);
    expect(of.get('index due')).toMatchObject({ own: false });
  });

  test('is judged at the load that it samples', async () => {
    const layouts = [
      { tenants: 1000, lanes: 1 },
      { tenants: 1000, lanes: 32 },
    ];
    const verdicts = await benchScale({ load, layouts, sample: 6, budget: false });
    const [alone, lanes] = verdicts.map(([, verdict]) => verdict);
    if (!alone || !lanes) throw new Error('two layouts have two verdicts');
    const mapping = ({ rows }: typeof alone) => rows.find(({ what }) => what.startsWith('steps at once of'));
    // 5,556 steps a second of 4 s each.
    expect(mapping(alone)?.used).toBeGreaterThan(20_000);
    expect(alone.holds).toBe(false);
    expect(mapping(alone)?.breaksAt).toBeLessThan(50_000);
    expect(mapping(lanes)?.used).toBeLessThan(1000);
    expect(lanes.usd).toBeGreaterThan(0);
  });
});

describe('a crowd of sessions and a model with a rate limit', () => {
  const crowd = { sessions: 60, steps: 2, environments: 6, requests: 5, outageSeconds: 0 };

  test('slow down together: few requests are refused and hardly any run fails; without signs most do', async () => {
    const [alone, together] = [
      await limited({ ...crowd, signs: false }),
      await limited({ ...crowd, signs: true }),
    ];
    expect(alone.completed).toBeLessThan(30);
    expect(together.completed).toBeGreaterThan(54);
    expect(together.refused).toBeLessThan(180);
    expect(isSlowed({ crowd, alone, together })).toBe(true);
    expect(isSlowed({ crowd, alone: together, together: alone })).toBe(false);
    // A sign that has no reader is not written.
    expect(alone.signs).toBeUndefined();
    expect(together.signs?.keys).toBeGreaterThan(1);
  });
});

describe('what a tenant’s sessions share', () => {
  test('is counted at the full rate, once as many sessions end as begin', async () => {
    const { heats, wrong } = await tenantLimits({ ...load, sessions: 3600 });
    expect(wrong).toBeUndefined();
    expect(heats.some(({ kind }) => kind.startsWith('limits'))).toBe(true);
    // One run starts each second.
    for (const { writesASecond } of heats) expect(writesASecond).toBeLessThan(20);
    expect(Math.max(...heats.map(({ writesASecond }) => writesASecond))).toBeGreaterThanOrEqual(0.9);
  });

  test('and the writes of a budget grow with the square of the concurrent steps', async () => {
    const hottest = async (sessions: number) => {
      const { heats } = await tenantBudget({ ...load, sessions });
      return Math.max(...heats.map(({ writesASecond }) => writesASecond));
    };
    const [few, many] = [await hottest(10_000), await hottest(100_000)];
    expect(few).toBeGreaterThan(5);
    expect(many / few).toBeGreaterThan(10);
  });
});

describe('a key layout', () => {
  const heat = (over: Partial<Heat>): Heat => ({
    ...{ kind: 'index due', own: false, keys: 1, reads: 0, writes: 0, readsASecond: 0, writesASecond: 0 },
    ...over,
  });
  // A thousandth of the load's steps.
  const sampled = (heats: readonly Heat[]): Sampled => ({
    ...{ sessions: 1000, completed: 1000, seconds: 3600, steps: 20_000, messages: 20_000, hides: 0 },
    ...{ pushes: 0, stepsAtOnce: 0.1, heats },
  });
  const verdict = (heats: readonly Heat[], shared: readonly Heat[] = [], wrong?: string) =>
    judge(
      load,
      { tenants: 10, lanes: 1 },
      {
        sampled: sampled(heats),
        tenant: [{ shared: { heats: shared, ...(wrong && { wrong }) }, holdsAt: 70 }],
      },
    );

  test('holds while no key exceeds the throughput of a partition', () => {
    expect(verdict([heat({ writesASecond: 0.9 })]).holds).toBe(true);
    const { holds, rows } = verdict([heat({ writesASecond: 2 })]);
    expect(holds).toBe(false);
    // Twice that throughput, so half as many sessions.
    expect(rows[0]).toMatchObject({ used: 2000, most: 1000, breaksAt: 500_000 });
  });

  test('compares reads with the read limit', () => {
    expect(verdict([heat({ readsASecond: 2.9 })]).holds).toBe(true);
    expect(verdict([heat({ readsASecond: 3.1 })]).holds).toBe(false);
  });

  test('a session’s own keys do not get hotter with more sessions', () => {
    const { rows, holds } = verdict([heat({ kind: 'HEAD', own: true, writesASecond: 4 })]);
    expect(rows[0]).toMatchObject({ used: 4, breaksAt: Number.POSITIVE_INFINITY });
    expect(holds).toBe(true);
  });

  test('a tenant’s items are its own, and reach the limit for all tenants at once', () => {
    expect(verdict([], [heat({ kind: 'limits running', writesASecond: 999 })]).holds).toBe(true);
    const { holds, rows } = verdict([], [heat({ kind: 'limits running', writesASecond: 1001 })]);
    expect(holds).toBe(false);
    expect(rows[0]).toMatchObject({ used: 1001, breaksAt: 700 });
    expect(verdict([], [], 'an item is too large').holds).toBe(false);
  });

  test('limits that AWS raises on request do not fail it', () => {
    const { rows, holds } = verdict([heat({ own: true, writes: 20_000 * 10 })]);
    const table = rows.find(({ what }) => what.startsWith('write units'));
    expect(table?.used).toBeGreaterThan(table?.most ?? Number.NaN);
    expect(holds).toBe(true);
  });

  test('and is within its limits while no item of a tenant is too hot', () => {
    expect(isCool({ heats: [heat({ writesASecond: 1000, readsASecond: 3000 })] })).toBe(true);
    expect(isCool({ heats: [heat({ writesASecond: 1001 })] })).toBe(false);
    expect(isCool({ heats: [heat({ readsASecond: 3001 })] })).toBe(false);
    expect(isCool({ heats: [], wrong: 'refused' })).toBe(false);
  });

  test('has one lane that is a little fuller than the mean', () => {
    expect(fullestLane(1000, 1)).toBe(1000);
    expect(fullestLane(22_222, 32)).toBeGreaterThan(694);
    expect(fullestLane(22_222, 32)).toBeLessThan(800);
  });
});

describe('a virtual clock', () => {
  test('wakes sleepers in order, and never a stopped one', async () => {
    const clock = runningClock();
    const begun = clock.now();
    const woken: string[] = [];
    const stop = new AbortController();
    void clock.sleep(200).then(() => woken.push(`b ${clock.now() - begun}`));
    void clock.sleep(50).then(() => woken.push(`a ${clock.now() - begun}`));
    void clock.sleep(60, stop.signal).then(() => woken.push(`stopped ${clock.now() - begun}`));
    stop.abort();
    await clock.runUntil(() => woken.length === 3);
    expect(woken).toEqual(['stopped 0', 'a 50', 'b 200']);
  });

  test('ends when no sleeper is left', async () => {
    await expect(runningClock().runUntil(() => false)).rejects.toThrow('no sleeper is left');
  });
});

describe('a burst of messages at the API', () => {
  test('is accepted, deduplicated, and processed in order by each session', async () => {
    const taken = await burst({ deliveries: 600, seconds: 15, sessions: 2, againEach: 10 });
    expect(taken).toMatchObject({ sent: 660, accepted: 600, duplicates: 60, inOrder: 600 });
    // Events for which an inbox of 100 has no room.
    expect(taken.heats.find(({ kind }) => kind === 'line for the inbox')?.writes).toBeGreaterThan(0);
    // Each session got more than an inbox holds, and a step takes in everything that waits.
    expect(taken.modelCalls).toBeLessThan(30);
    expect(isTaken(taken)).toBe(true);
    expect(isTaken({ ...taken, inOrder: 599 })).toBe(false);
    expect(isTaken({ ...taken, accepted: 599 })).toBe(false);
    expect(isTaken({ ...taken, slowestMs: 10_000 })).toBe(false);
  });
});
