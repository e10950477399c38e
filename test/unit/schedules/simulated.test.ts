import { expect, test } from 'vitest';
import { simulateSchedules } from '../../sim/schedules/world.ts';

/** Seeds, each with its own faults. */
const SEEDS = 40;

test('under faults, deploys and people, every tick starts at most once, and has an outcome', {
  timeout: 120_000,
}, async () => {
  let ticks = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violation, books } = await simulateSchedules(seed);
    expect(violation, `seed ${seed}`).toBeUndefined();
    ticks += books.ticks;
  }
  expect(ticks).toBeGreaterThan(SEEDS * 20);
});

test('the same seed has the same history', async () => {
  const [first, second] = [await simulateSchedules(7), await simulateSchedules(7)];
  expect(first.lines).toEqual(second.lines);
});
