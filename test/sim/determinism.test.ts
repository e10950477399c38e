import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modes, type Simulated, simulate } from './simulate.ts';
import { workloadNames } from './workloads.ts';

test('the same seed has the same history, down to the hash of its trace', async () => {
  for (const [n, workload] of workloadNames.entries()) {
    const mode = modes[n % modes.length] ?? 'safety';
    const first = await simulate(7, workload, mode);
    const again = await simulate(7, workload, mode);
    expect(seen(again)).toEqual(seen(first));
  }
});

test('late code of the core is loaded before virtual time begins (test/support/words.ts)', () => {
  const core = new URL('../../shared/agent/', import.meta.url);
  const texts = readdirSync(core, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(new URL(path, core), 'utf8'));
  const late = texts.flatMap((text) =>
    [...text.matchAll(/^export const (\w+) = readOnce\(/gm)].map(([, name = '']) => name),
  );
  const loaded = readFileSync(new URL('../support/words.ts', import.meta.url), 'utf8');
  expect(late.filter((name) => !loaded.includes(`${name}(`))).toEqual([]);
});

test('different seeds have different histories', async () => {
  const hashes = new Set<string>();
  for (let seed = 1; seed <= 20; seed++) hashes.add((await simulate(seed, 'text', 'safety')).hash);
  expect(hashes.size).toBe(20);
});

const seen = (run: Simulated) => ({ ...run, lines: run.lines(), told: run.told() });
