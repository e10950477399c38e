import { expect, test } from 'vitest';
import { modes, type Simulated, simulate } from './simulate.ts';
import { workloadNames } from './workloads.ts';

test('the same seed has the same history, down to the hash of its trace', async () => {
  for (const workload of workloadNames) {
    for (const mode of modes) {
      const first = await simulate(7, workload, mode);
      const again = await simulate(7, workload, mode);
      expect(seen(again)).toEqual(seen(first));
    }
  }
});

test('different seeds have different histories', async () => {
  const hashes = new Set<string>();
  for (let seed = 1; seed <= 50; seed++) hashes.add((await simulate(seed, 'text', 'safety')).hash);
  expect(hashes.size).toBe(50);
});

const seen = (run: Simulated) => ({ ...run, lines: run.lines(), told: run.told() });
