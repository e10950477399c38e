import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { RequestCounts } from '../../shared/edge/request-counts.ts';
import { virtualClock } from '../../testing/clock.ts';

/** The contract of `RequestCounts`. */
export function requestCountsContract(name: string, open: (clock: Clock) => Promise<RequestCounts>): void {
  describe(`${name}: counts of requests`, () => {
    let counts: RequestCounts;
    beforeEach(async () => {
      counts = await open(virtualClock());
    });

    test('give units until the second has no more, and never more than it has', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => counts.take('acme', 7, 3, 10)));
      expect(all.filter(Boolean)).toHaveLength(3);
      expect(await counts.take('acme', 7, 2, 10)).toBe(false);
      expect(await counts.take('acme', 7, 1, 10)).toBe(true);
      expect(await counts.take('acme', 7, 1, 10)).toBe(false);
    });

    test('are those of one tenant and one second', async () => {
      expect(await counts.take('acme', 7, 10, 10)).toBe(true);
      expect(await counts.take('acme', 8, 10, 10)).toBe(true);
      expect(await counts.take('globex', 7, 10, 10)).toBe(true);
      expect(await counts.take('acme', 7, 1, 10)).toBe(false);
    });

    test('never give more at once than a second has', async () => {
      expect(await counts.take('acme', 7, 11, 10)).toBe(false);
    });
  });
}
