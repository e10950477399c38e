import { expect, test } from 'vitest';
import { modes, simulate } from './simulate.ts';
import { workloadNames } from './workloads.ts';

test('the same seed has the same history, down to the hash of its trace', { timeout: 30_000 }, async () => {
  for (const workload of workloadNames) {
    for (const mode of modes) {
      const first = await simulate(7, workload, mode);
      const again = await simulate(7, workload, mode);
      expect({ ...again, lines: again.lines() }).toEqual({ ...first, lines: first.lines() });
    }
  }
});

test('different seeds have different histories', async () => {
  const hashes = new Set<string>();
  for (let seed = 1; seed <= 50; seed++) hashes.add((await simulate(seed, 'text', 'safety')).hash);
  expect(hashes.size).toBe(50);
});
