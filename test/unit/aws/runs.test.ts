import { describe, expect, test } from 'vitest';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { between, firstGap, type Run, withRun } from '../../../shared/aws/runs.ts';

const run = (from: number, below: number, name = '', chars = 10): Run => ({
  ...{ from, below, chars },
  slots: Array.from({ length: below - from }, (_, i) => ({ n: from + i, runId: name }) as Slot),
});
const runs = (...all: Run[]) => all.reduce<readonly Run[]>(withRun, []);
const numbers = (slots: readonly Slot[]) => slots.map(({ n }) => n);

describe('ranges of slots', () => {
  test('are in order, however they arrived, and without duplicates', () => {
    const held = runs(run(4, 6), run(0, 2), run(2, 4), run(0, 2));
    expect(held.map(({ from }) => from)).toEqual([0, 2, 4]);
    expect(numbers(between(held, 0, 6))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each([
    [0, 6, undefined],
    [2, 5, undefined],
    [0, 9, { from: 6, below: 8 }],
    [7, 8, { from: 7, below: 8 }],
    [9, 12, { from: 10, below: 12 }],
    [12, 14, { from: 12, below: 14 }],
  ])('from %i up to %i lack %j', (from, below, gap) => {
    expect(firstGap(runs(run(0, 3), run(3, 6), run(8, 10)), from, below)).toEqual(gap);
  });

  test('with no slots lack the whole range, and an empty range lacks nothing', () => {
    expect(firstGap([], 3, 5)).toEqual({ from: 3, below: 5 });
    expect(firstGap([], 5, 5)).toBeUndefined();
  });

  test('that overlap give each slot once, and are cut to the requested range', () => {
    const held = runs(run(0, 4), run(0, 6), run(2, 9), run(3, 5));
    expect(numbers(between(held, 0, 9))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(numbers(between(held, 1, 8))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(firstGap(held, 0, 9)).toBeUndefined();
  });

  test('cover slots that do not exist, so that they are not looked up again', () => {
    const held = runs({ from: 0, below: 4, slots: run(1, 3).slots, chars: 10 });
    expect(firstGap(held, 0, 4)).toBeUndefined();
    expect(numbers(between(held, 0, 4))).toEqual([1, 2]);
  });
});
