import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { SWEEP_STEP_MS, sweepAtFor } from '../../../shared/agent/session/wake.ts';
import { dueNow, newHead } from '../../../shared/memory/head.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';

/** Time in ms that a call of the table or the queue takes here. */
const LATENCY_MS = 20;

/** Sessions that lost all wakes ten minutes ago, and ports whose calls take their time. */
function overdueWorld(sessions: number) {
  const world = memoryWorld();
  let now = world.clock.now();
  const waiting = new Map<number, (() => void)[]>();
  const latency = () =>
    new Promise<void>((resolve) => {
      const at = now + LATENCY_MS;
      waiting.set(at, [...(waiting.get(at) ?? []), resolve]);
    });
  for (let i = 0; i < sessions; i++) {
    const key = { tenant: 'acme', sessionId: `s${i}` };
    const head = { ...newHead(newSession(key, 'test', 'd')), ...dueNow(now - 600_000) };
    world.table.heads.set(`acme#s${i}`, head);
  }
  const woken = new Map<string, number>();
  let fails: (sessionId: string) => boolean = () => false;
  const io = {
    clock: { ...world.clock, now: () => now },
    sessions: {
      ...world.sessions,
      async *overdue(...args: Parameters<typeof world.sessions.overdue>) {
        for await (const page of world.sessions.overdue(...args)) {
          await latency();
          yield page;
        }
      },
      async postpone(...args: Parameters<typeof world.sessions.postpone>) {
        await latency();
        await world.sessions.postpone(...args);
      },
    },
    queue: {
      ...world.queue,
      async send({ sessionId }: { sessionId: string }) {
        await latency();
        if (fails(sessionId)) throw new Error(`no wake for ${sessionId}`);
        woken.set(sessionId, (woken.get(sessionId) ?? 0) + 1);
      },
    },
  };
  return {
    ...world,
    woken,
    /** The number of sessions that wait until later by now. */
    postponed: () => [...world.table.heads.values()].filter(({ sweepAt = 0 }) => sweepAt > now).length,
    failing(which: typeof fails) {
      fails = which;
    },
    /** Runs a sweep with so much time, moving the clock whenever it waits. */
    async sweeps(ms: number) {
      const startedAt = now;
      let end: PromiseSettledResult<Awaited<ReturnType<typeof sweep>>> | undefined;
      void Promise.allSettled([sweep(io, now + ms)]).then(([settled]) => {
        end = settled;
      });
      while (!end) {
        await new Promise((resolve) => setImmediate(resolve));
        const next = Math.min(...waiting.keys());
        if (end || next === Infinity) continue;
        now = next;
        const due = waiting.get(next) ?? [];
        waiting.delete(next);
        for (const wake of due) wake();
      }
      return { end, ms: now - startedAt };
    },
  };
}

const value = (swept: object) => ({ status: 'fulfilled', value: swept });

describe('one sweep', () => {
  test('wakes 100,000 overdue sessions in its minute, each once', { timeout: 60_000 }, async () => {
    const world = overdueWorld(100_000);
    const { end, ms } = await world.sweeps(48_000);
    expect(end).toEqual(value({ woken: 100_000, all: true }));
    expect(ms).toBeLessThan(48_000);
    expect(world.woken.size).toBe(100_000);
    expect(Math.max(...world.woken.values())).toBe(1);
    expect(world.postponed()).toBe(100_000);
  });

  test('with too little time leaves the rest as it is, for the next one', async () => {
    const world = overdueWorld(5_000);
    const { end } = await world.sweeps(200);
    const first = world.woken.size;
    expect(end).toEqual(value({ woken: first, all: false }));
    expect(first).toBeGreaterThan(400);
    expect(first).toBeLessThan(5_000);
    expect(world.postponed()).toBe(first);
    expect((await world.sweeps(48_000)).end).toEqual(value({ woken: 5_000 - first, all: true }));
    expect([...world.woken.values()].filter((times) => times > 1)).toEqual([]);
  });

  test('wakes all others if some cannot be woken, and fails at the end', async () => {
    const world = overdueWorld(1_000);
    world.failing((sessionId) => sessionId.endsWith('7'));
    const { end } = await world.sweeps(48_000);
    expect(end).toMatchObject({
      status: 'rejected',
      reason: expect.objectContaining({ message: expect.stringMatching(/^no wake/) }),
    });
    expect(world.woken.size).toBe(900);
  });

  test('gives up if the queue accepts nothing, and postpones only the sessions that it has begun with', async () => {
    const world = overdueWorld(5_000);
    world.failing(() => true);
    expect((await world.sweeps(48_000)).end).toMatchObject({ status: 'rejected' });
    expect(world.postponed()).toBe(400);
  });
});

test.each([0, 1, 123_456, SWEEP_STEP_MS - 1])(
  'a running session in phase %d is checked five to ten minutes later, at a time that changes once in five',
  (phase) => {
    const start = Date.UTC(2026, 10, 22, 12, 1, 30);
    const moments = new Set<number>();
    for (let at = start; at < start + 4 * SWEEP_STEP_MS; at += 1_000) {
      const sweepAt = sweepAtFor(at, at, phase);
      expect(sweepAt - at).toBeGreaterThan(SWEEP_STEP_MS);
      expect(sweepAt - at).toBeLessThanOrEqual(2 * SWEEP_STEP_MS);
      expect(sweepAt % SWEEP_STEP_MS).toBe(phase);
      moments.add(sweepAt);
    }
    expect(moments.size).toBeLessThanOrEqual(5);
  },
);
