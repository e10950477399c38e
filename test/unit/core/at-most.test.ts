import { expect, test } from 'vitest';
import { atMost } from '../../../shared/agent/plain/at-most.ts';

test.each([
  { most: 0, peak: 6 },
  { most: 1, peak: 1 },
  { most: 4, peak: 4 },
  { most: 9, peak: 6 },
])('at most $most jobs run at a time, begun in order, whatever fails', async ({ most, peak }) => {
  let [running, highest] = [0, 0];
  const begun: number[] = [];
  const jobs = [0, 1, 2, 3, 4, 5].map((n) => async () => {
    begun.push(n);
    running += 1;
    highest = Math.max(highest, running);
    for (let turn = 0; turn < 6 - n; turn += 1) await Promise.resolve();
    running -= 1;
    if (n === 1) throw new Error('no');
    return n;
  });
  const ended = await Promise.allSettled(atMost(most, jobs));
  expect(highest).toBe(peak);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  expect(ended.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    ...[0, 'failed', 2, 3, 4, 5],
  ]);
});
