import { describe, expect, test } from 'vitest';
import { type Pathology, pathologies, STEPS } from './runs/pathologies.ts';
import { firstStep, play } from './runs/play.ts';
import { each } from './runs/run.ts';

/** The steps, from 1, of the first advice, of the first refusal, and of the end of the run. */
async function measured({ tools, step }: Pathology) {
  const { slots, end } = await play(tools, each(STEPS, step), {
    limits: { maxSteps: STEPS, maxToolCalls: 0 },
  });
  const results = (of: (typeof slots)[number]) => (of.kind === 'tools' ? of.results : []);
  return {
    told: firstStep(slots, (slot) =>
      slot.kind === 'tools'
        ? slot.results.some(({ note }) => note !== undefined)
        : slot.input.some(({ internal }) => internal !== undefined),
    ),
    refused: firstStep(slots, (slot) => results(slot).some(({ outcome }) => outcome === 'refused')),
    ended: end?.steps ?? Number.POSITIVE_INFINITY,
    state: end?.state,
  };
}

const never = Number.POSITIVE_INFINITY;
const cycles = pathologies.filter(({ period, poll }) => period > 1 && !poll);
const others = pathologies.filter(({ period, poll }) => period === 1 && !poll);
const polls = pathologies.filter(({ poll }) => poll);

describe('runs without progress are stopped', () => {
  test.each(cycles)(
    'cycle, $name: advised by the third round, refused by the sixth, ended by the tenth, and no later than before',
    async (pathology) => {
      const { period, before, from = 0 } = pathology;
      const { told, refused, ended, state } = await measured(pathology);
      expect(told ?? never).toBeLessThanOrEqual(from + 3 * period);
      expect(Math.min(refused ?? never, ended)).toBeLessThanOrEqual(from + 6 * period);
      expect(ended).toBeLessThanOrEqual(Math.min(from + 10 * period, before.ended));
      expect(state).toBe('error');
    },
  );

  test.each(others)('$name: advised, and ended no later than before', async (pathology) => {
    const { told, refused, ended, state } = await measured(pathology);
    const { before } = pathology;
    expect(told ?? never).toBeLessThanOrEqual(before.told ?? never);
    expect(told ?? never).toBeLessThan(ended);
    expect(Math.min(refused ?? never, ended)).toBeLessThanOrEqual(before.refused ?? before.ended);
    expect(ended).toBeLessThanOrEqual(Math.min(before.ended, 19));
    expect(state).toBe('error');
  });

  test.each(polls)('$name: advised at 10 equal answers, refused after 20, ended at 31', async (pathology) => {
    const { period } = pathology;
    expect(await measured(pathology)).toEqual({
      told: 9 * period + 1,
      refused: 20 * period + 1,
      ended: 30 * period + 1,
      state: 'error',
    });
  });
});
