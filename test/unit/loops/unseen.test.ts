import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../shared/agent/context/estimate.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
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
  const { slots, end, requests } = await play(tools, each(STEPS, step), { limits });
  const told = firstStep(slots, (slot) =>
    slot.kind === 'tools'
      ? slot.results.some(({ note }) => note !== undefined)
      : slot.input.some(({ internal }) => internal !== undefined),
  );
  const ended = end?.reason === 'max_steps' || end === undefined ? null : end.steps;
  return { name, told, ended, usd: usdOf(requests) };
}

/** USD per million input tokens and per reply of 200 tokens, without a cache, as in the page. */
const [INPUT_USD, REPLY_USD] = [3, 200 * 15e-6];

const usdOf = (requests: readonly ModelRequest[]): number =>
  requests.reduce((sum, request) => sum + (estimateTokens(request) * INPUT_USD) / 1e6 + REPLY_USD, 0);

type Result = Awaited<ReturnType<typeof endless>>;

const inTime = ({ told, ended }: Result): boolean =>
  told !== null && told <= TOLD && ended !== null && ended <= ENDED;

/** The middle and the largest of some numbers; a dash for what never happened. */
function range(numbers: readonly (number | null)[], written: (n: number) => string = String): string {
  const known = numbers.filter((n) => n !== null).sort((a, b) => a - b);
  const [middle, last] = [known[Math.floor(known.length / 2)], known.at(-1)];
  return middle === undefined || last === undefined ? '– (–)' : `${written(middle)} (${written(last)})`;
}

const cents = (usd: number): string => `$${usd.toFixed(2)}`;

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
      range(
        fast.map(({ usd }) => usd),
        cents,
      ),
    ];
  });
  const late = all.filter((one) => !inTime(one)).map(({ name }) => name);
  return [
    `${silent} of ${runs} ordinary runs are silent, and none ends early. ${stopped.length} of ${all.length} runs without progress are told by step ${TOLD} and ended by step ${ENDED}:`,
    table(
      [
        'kind',
        'in time',
        'told at step, median (last)',
        'ended at step, median (last)',
        'cost by then, median (most)',
      ],
      rows,
    ),
    'The cost is an estimate at $3 per million input tokens and $15 per million output tokens, with 200 of these for each reply and no prompt cache.',
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
