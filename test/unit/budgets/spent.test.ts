import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rates } from '../../../shared/aws/rates.ts';
import { bill, chunks, meteredRun, usdASecond, use } from '../../../shared/aws/spent.ts';

/** Billionths of a dollar: the cost of a thousand units at a dollar a million. */
const nano = async (run: () => unknown): Promise<number> =>
  meteredRun(async () => {
    await run();
    return (bill.usd() ?? Number.NaN) * 1e9;
  });

describe('the cost of an invocation', () => {
  test('is priced by the table, with its message, its commit and its next message', async () => {
    // Time of a function without a memory size costs nothing.
    const idle = await nano(() => undefined);
    expect(idle).toBeCloseTo((3 * rates.queueRequests + rates.invocations) * 1_000, 3);
    const claimed = await nano(() => use('writes', 4));
    expect(claimed - idle).toBeCloseTo(2 * 4 * rates.writes * 1_000, 3);
    const all = await nano(() => {
      use('writes', 1);
      use('reads', 2);
      use('pushes', 3);
      use('puts', 1);
      use('gets', 1);
    });
    const { writes, reads, pushes, puts, gets } = rates;
    expect(all - idle).toBeCloseTo((2 * writes + 2 * reads + 3 * pushes + puts + gets) * 1_000, 3);
  });

  test('is its own, however many run in parallel', async () => {
    const costs = await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        nano(async () => {
          await pause(Math.random() * 20);
          use('pushes', n);
          await pause(Math.random() * 20);
          // Calls that are not awaited count too.
          void pause(1).then(() => use('pushes', 1));
          await pause(10);
        }),
      ),
    );
    const alone = await nano(() => undefined);
    expect(costs.map((cost) => Math.round((cost - alone) / 1_000))).toEqual(costs.map((_, n) => n + 1));
  });

  test('is nothing outside of an invocation', () => {
    use('writes', 5);
    expect(bill.usd()).toBeUndefined();
  });

  test('a message is billed by its size', () => {
    expect([0, 1, 1_024, 1_025, 3_000].map((bytes) => chunks(bytes, 1_024))).toEqual([1, 1, 1, 2, 3]);
  });
});

describe('a second of an invocation', () => {
  const memory = { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '2048' };

  test('costs its memory on Lambda', () => {
    expect(usdASecond(memory)).toBeCloseTo(2 * 0.0000133334, 12);
  });

  test('costs its share of an instance on managed ones, at half of their concurrency', () => {
    const managed = { ...memory, AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances' };
    // Half of a c8g.large and 15 % on top, shared by 32.
    const instance = (0.07976 * 1.15) / 3600 / 2;
    expect(usdASecond({ ...managed, AWS_LAMBDA_MAX_CONCURRENCY: '64' })).toBeCloseTo(instance / 32, 12);
    expect(usdASecond({ ...managed, AWS_LAMBDA_MAX_CONCURRENCY: '1' })).toBeCloseTo(instance, 12);
  });
});
