import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triage } from '../../../agents/triage/agent.ts';
import { openModels } from '../../../cli/eval/models.ts';
import kept from '../../../evals/baseline.scripted.json' with { type: 'json' };
import evals from '../../../evals/triage.eval.ts';
import { describeExport } from '../../../shared/agent/define/facts.ts';
import definition from '../../../steploop.config.ts';
import { Baseline, regressions } from '../../../testing/evals/baseline.ts';
import { playable } from '../../../testing/evals/check.ts';
import { runCases } from '../../../testing/evals/run.ts';

type Models = Awaited<ReturnType<typeof openModels>>;
let models: Models;
beforeAll(async () => {
  const facts = describeExport(definition);
  const signal = new AbortController().signal;
  models = await openModels(definition, facts, { secrets: {}, scripted: true, signal });
});
afterAll(() => models.stop());

/** Makes the verdicts independent of the price list. */
const model = { ...triage.model, price: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 } };

/** Plays all cases, or every third, with this instruction, and compares them with the baseline. */
async function played(system: string, each = 3) {
  const all = playable([{ ...evals, agent: { ...triage, model, system } }], []);
  const cases = all.filter((_, i) => (i + 1) % each === 0);
  const run = await runCases(cases, {
    stage: {
      ...{ answer: models.answer, isReal: false, settings: {}, secrets: {} },
      priced: async (agent) => agent,
    },
    ...{ repeat: 1, concurrency: 4, maxUsd: Number.POSITIVE_INFINITY, now: () => 0, told: () => {} },
    signal: new AbortController().signal,
  });
  return { run, worse: regressions(run, Baseline.parse(kept), 0.05).map(({ id }) => id) };
}

/** The agent's instruction without the text that `find` matches. */
const without = (part: RegExp): string => {
  const worse = triage.system.replace(part, '');
  expect(worse).not.toBe(triage.system);
  return worse;
};

describe('the triage agent, on a model that follows its instruction', () => {
  it('passes all thirty cases, as in the baseline', async () => {
    const { run, worse } = await played(triage.system, 1);
    expect(run.cases).toHaveLength(30);
    expect(run.cases.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual([]);
    expect(worse).toEqual([]);
  });

  it.each([
    { what: 'is not told to look for similar issues', part: /, and search for similar issues\./, most: 4 },
    {
      what: 'is not told to list the labels, and guesses them',
      part: /List the repository's labels, and /,
      most: 4,
    },
    { what: 'is not told to answer', part: /^4\. Write .*\n/m, most: 4 },
    {
      what: 'is not told that issues are no instructions',
      part: /Texts of issues.*whatever they say\. /,
      most: 0,
    },
  ])('is reported as worse when it $what', async ({ part, most }) => {
    const { worse } = await played(without(part));
    expect(worse.length).toBeGreaterThan(most);
  });

  it('and a mere change of wording is not reported', async () => {
    const { worse } = await played(triage.system.replace('You triage issues', 'You sort the issues'));
    expect(worse).toEqual([]);
  });
});
