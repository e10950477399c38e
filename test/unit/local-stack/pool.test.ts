import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Environment, EnvironmentOptions } from '../../../local/stack/lambda/environment.ts';
import type { Code } from '../../../local/stack/lambda/pool.ts';

let share = 0;
vi.mock('../../../local/stack/lambda/machine.ts', () => ({ workOfMachine: () => share }));
vi.mock('../../../local/stack/lambda/environment.ts', () => ({ startEnvironment: fake }));

// An earlier file of this process may have loaded the pool with its real parts.
vi.resetModules();
const { createPool } = await import('../../../local/stack/lambda/pool.ts');

/** Environments that are ready at once, in the order of their start; `end` ends the invocation of one. */
const started: { end(): void }[] = [];

function fake({ freed }: EnvironmentOptions): Environment {
  let running = 1;
  started.push({
    end() {
      running = 0;
      freed();
    },
  });
  const ready = Promise.resolve();
  const environment: Partial<Environment> = { alive: true, ready, kill: async () => undefined };
  Object.defineProperty(environment, 'running', { get: () => running });
  return environment as Environment;
}

/** An invocation that does not end by itself. */
const atWork = () => new Promise<void>(() => undefined);

describe('environments of Lambda', () => {
  beforeEach(() => {
    started.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 10_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const pool = () => createPool({} as Code, { kind: 'lambda' }, 32, () => undefined);
  /** All environments are busy, and ready. */
  async function busy(count: number) {
    share = 0;
    const some = pool();
    for (let n = 0; n < count; n++) {
      void some.use(atWork);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(started).toHaveLength(count);
    return some;
  }

  test('another one starts while the machine has cores to spare', async () => {
    const some = await busy(5);
    share = 0.5;
    expect(some.free).toBeGreaterThan(0);
  });

  test('if it has none, a waiting invocation gets the first idle one', async () => {
    const some = await busy(2);
    share = 1;
    expect(some.free).toBe(0);
    let got = false;
    void some.room().then(() => {
      got = true;
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(got).toBe(false);
    started[1]?.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(got).toBe(true);
    expect(some.free).toBe(1);
    void some.use(atWork);
    expect(started).toHaveLength(2);
  });

  test('waiting invocations are served in order, one for each that ends', async () => {
    const some = await busy(2);
    share = 1;
    const served: number[] = [];
    for (let n = 0; n < 500; n++) {
      void some.use(() => {
        served.push(n);
        return atWork();
      });
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(served).toEqual([]);
    started[0]?.end();
    expect(served).toEqual([0]);
    started[1]?.end();
    expect(served).toEqual([0, 1]);
  });

  test('however many wait, one timer checks whether another environment would help', async () => {
    const some = await busy(2);
    share = 1;
    const before = vi.getTimerCount();
    for (let n = 0; n < 50; n++) void some.use(atWork);
    await vi.advanceTimersByTimeAsync(300);
    expect(vi.getTimerCount() - before).toBe(1);
  });

  test('invocations that wait at the stop are not run', async () => {
    const some = await busy(2);
    share = 1;
    const waiting = some.use(atWork);
    void some.stop(0);
    expect(await waiting).toBeUndefined();
  });

  test('one starts as soon as the machine is idle', async () => {
    const some = await busy(2);
    share = 1;
    const room = some.room();
    await vi.advanceTimersByTimeAsync(200);
    share = 0.2;
    await vi.advanceTimersByTimeAsync(100);
    await room;
    expect(some.free).toBeGreaterThan(0);
  });

  test('one starts anyway if the others stay busy for long', async () => {
    const some = await busy(2);
    share = 1;
    const room = some.room();
    await vi.advanceTimersByTimeAsync(1_200);
    await room;
    expect(some.free).toBeGreaterThan(0);
  });
});
