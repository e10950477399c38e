import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { table } from '../../support/reference/table.ts';
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
  return { name, told, ended };
}

type Result = Awaited<ReturnType<typeof endless>>;

const inTime = ({ told, ended }: Result): boolean =>
  told !== null && told <= TOLD && ended !== null && ended <= ENDED;

/** The middle and the largest of some steps; a dash for what never happened. */
function range(steps: readonly (number | null)[]): string {
  const known = steps.filter((step) => step !== null).sort((a, b) => a - b);
  return `${known[Math.floor(known.length / 2)] ?? '–'} (${known.at(-1) ?? '–'})`;
}

const kinds = {
  changes: 'equal changes',
  cycles: 'rounds',
  failures: 'equal failures',
  volatile: 'moving details',
};

function figures(
  silent: number,
  runs: number,
  of: Readonly<Record<keyof typeof kinds, readonly Result[]>>,
): string {
  const all = Object.values(of).flat();
  const stopped = all.filter(inTime);
  const rows = (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => {
    const fast = of[kind].filter(inTime);
    return [
      kinds[kind],
      `${fast.length} of ${of[kind].length}`,
      range(fast.map(({ told }) => told)),
      range(fast.map(({ ended }) => ended)),
    ];
  });
  const late = all.filter((one) => !inTime(one)).map(({ name }) => name);
  return [
    `${silent} of ${runs} ordinary runs are silent, and none ends early. ${stopped.length} of ${all.length} runs without progress are told by step ${TOLD} and ended by step ${ENDED}:`,
    table(['kind', 'in time', 'told at step, median (last)', 'ended at step, median (last)'], rows),
    `Too late, or never: ${late.join('; ')}.`,
  ].join('\n\n');
}

const PAGE = '../../../docs/guards.md';
const [OPEN, CLOSE] = ['<!-- figures: written by test/unit/loops/unseen.test.ts -->', '<!-- /figures -->'];

describe('runs that are older than the rules', () => {
  test('at least 98 % of ordinary runs are silent, and none ends early; at least 90 % of others are told and ended', async () => {
    const runs = Object.values(trades).flat();
    const results = await Promise.all(runs.map(ordinary));
    const spoken = results.filter(({ silent }) => !silent);
    const of = {
      changes: await Promise.all(pathologies.changes.map(endless)),
      cycles: await Promise.all(pathologies.cycles.map(endless)),
      failures: await Promise.all(pathologies.failures.map(endless)),
      volatile: await Promise.all(pathologies.volatile.map(endless)),
    };
    const all = Object.values(of).flat();
    const stopped = all.filter(inTime);
    console.info(`ordinary runs: ${results.length - spoken.length} of ${results.length} silent`);
    console.info(
      `runs without progress: ${stopped.length} of ${all.length} told by step ${TOLD} and ended by step ${ENDED}`,
    );
    expect(Object.keys(trades).length).toBeGreaterThanOrEqual(8);
    expect(results.length).toBeGreaterThanOrEqual(60);
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(results.filter(({ completed }) => !completed)).toEqual([]);
    expect((results.length - spoken.length) / results.length, JSON.stringify(spoken)).toBeGreaterThanOrEqual(
      0.98,
    );
    expect(stopped.length / all.length).toBeGreaterThanOrEqual(0.9);
    const page = readFileSync(new URL(PAGE, import.meta.url), 'utf8');
    const [before, after] = [page.slice(0, page.indexOf(OPEN)), page.slice(page.indexOf(CLOSE))];
    const text = figures(results.length - spoken.length, results.length, of);
    await expect(`${before}${OPEN}\n\n${text}\n\n${after}`).toMatchFileSnapshot(PAGE);
  }, 600_000);
});
