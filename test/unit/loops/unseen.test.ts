import { describe, expect, test } from 'vitest';
import { firstStep, play, saidIn } from './runs/play.ts';
import { each, type Run } from './runs/run.ts';
import { trades } from './unseen/ordinary/index.ts';
import { pathologies } from './unseen/pathologies/index.ts';
import type { Endless } from './unseen/pathologies/pathology.ts';

/** Steps by which the model must be told, by which the run must end, and after which the test stops waiting for that. */
const TOLD = 15;
const ENDED = 60;
const STEPS = 62;

async function ordinary({ name, tools, steps }: Run) {
  const { slots, end } = await play(tools, steps, { limits: { maxSteps: 200 } });
  const said = saidIn(slots);
  return { name, said, silent: said.length === 0, completed: end?.state === 'completed' };
}

async function endless({ name, tools, step }: Endless) {
  const limits = { maxSteps: STEPS, maxToolCalls: 0 };
  const { slots, end } = await play(tools, each(STEPS, step), { limits });
  const told = firstStep(slots, (slot) =>
    slot.kind === 'tools'
      ? slot.results.some(({ note }) => note !== undefined)
      : slot.input.some(({ internal }) => internal !== undefined),
  );
  const ended = end?.reason === 'max_steps' || end === undefined ? null : end.steps;
  return { name, told, ended, by: end?.reason };
}

const inTime = ({ told, ended }: { told: number | null; ended: number | null }): boolean =>
  told !== null && told <= TOLD && ended !== null && ended <= ENDED;

describe('runs that the rules were not made from', () => {
  test('at least 98 % of ordinary runs of eight trades or more are silent, and none ends early', async () => {
    const runs = Object.values(trades).flat();
    const results = await Promise.all(runs.map(ordinary));
    const spoken = results.filter(({ silent }) => !silent);
    console.info(`ordinary runs: ${results.length - spoken.length} of ${results.length} silent`);
    if (process.env.SHOW) console.info(spoken.map((r) => `${r.name} ${r.completed}: ${r.said.join(' | ')}`).join('\n'));
    expect(Object.keys(trades).length).toBeGreaterThanOrEqual(8);
    expect(results.length).toBeGreaterThanOrEqual(60);
    expect(results.filter(({ completed }) => !completed)).toEqual([]);
    expect((results.length - spoken.length) / results.length).toBeGreaterThanOrEqual(0.98);
  }, 120_000);

  test('at least 90 % of pathologies are told by step 15 and ended by step 60', async () => {
    const results = await Promise.all(Object.values(pathologies).flat().map(endless));
    const stopped = results.filter(inTime);
    console.info(`pathologies: ${stopped.length} of ${results.length} told by step ${TOLD} and ended by step ${ENDED}`);
    if (process.env.SHOW) console.info(results.filter((r) => !inTime(r)).map((r) => `${r.name}: told ${r.told}, ended ${r.ended} ${r.by}`).join('\n'));
    expect(results.length).toBeGreaterThanOrEqual(60);
    expect(stopped.length / results.length).toBeGreaterThanOrEqual(0.9);
  }, 300_000);
});
