import { describe, expect, test } from 'vitest';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, endings, tool } from './reading.fixture.ts';

const get = tool('get');
const price = { input: 1, output: 1 };
const model = { name: 'm', price };
/** Each step costs a tenth of a cent besides its model. */
const bill = { usd: () => 0.001 };
const twoSteps = () => scriptedModel(calls(['get', {}]), says('It is 7.'));

describe('the cost of steps besides their model', () => {
  test('is reported with their usage, separately and in sum, and is in the totals', async () => {
    const world = await sessionWorld({ model, tools: [get] }, twoSteps(), { bill });
    await world.say('hi');
    await world.settle();
    const told = custom(await world.events(), 'steploop.usage');
    expect(told).toMatchObject([
      {
        costUsd: 0.00015,
        infraUsd: 0.001,
        togetherUsd: 0.00115,
        totals: { costUsd: 0.00015, infraUsd: 0.001 },
      },
      {
        costUsd: 0.00015,
        infraUsd: 0.001,
        togetherUsd: 0.00115,
        totals: { costUsd: 0.0003, infraUsd: 0.002 },
      },
    ]);
    const { totals, run } = (await world.view()).session;
    expect(totals).toMatchObject({ costUsd: 0.0003, infraUsd: 0.002 });
    expect(run?.totals).toEqual(totals);
    expect(custom(await world.events(), 'steploop.ended')[0]?.totals).toEqual(totals);
    expect(world.meter.steps.map(({ infraUsd }) => infraUsd)).toEqual([0.001, 0.001]);
  });

  test('also applies to a step whose model has failed', async () => {
    const world = await sessionWorld({ model }, scriptedModel(fails({}), says('It is 7.')), { bill });
    await world.say('hi');
    await world.settle();
    expect((await world.view()).session.totals.infraUsd).toBe(0.002);
  });

  test.each([
    ['before', killBefore, 0.002],
    ['after', killAfter, 0.002],
  ] as const)(
    'of a step that is killed %s its commit is counted when it is committed, once',
    async (_, kill, usd) => {
      const world = await sessionWorld({ model, tools: [get] }, twoSteps(), { bill });
      world.faults.at('sessions.commit', kill, 1);
      await world.say('hi');
      await world.settle();
      expect((await world.view()).session.totals.infraUsd).toBe(usd);
    },
  );

  test('is absent if it is not counted', async () => {
    const world = await sessionWorld({ model, tools: [get] }, twoSteps());
    await world.say('hi');
    await world.settle();
    expect((await world.view()).session.totals).not.toHaveProperty('infraUsd');
    expect(custom(await world.events(), 'steploop.usage')[0]).not.toHaveProperty('togetherUsd');
  });
});

describe('a dollar limit', () => {
  const ended = async (include: ('model' | 'infrastructure')[] | undefined, costLimitUsd: number) => {
    const guardrails = { budget: { ...(include && { include }) } };
    const definition = { model, tools: [get], limits: { costLimitUsd }, guardrails };
    const world = await sessionWorld(definition, twoSteps(), { bill });
    await world.say('hi');
    await world.settle();
    return endings(await world.events()).at(-1);
  };

  test('counts only models by default', async () => {
    expect(await ended(undefined, 0.0005)).toMatchObject({ state: 'completed' });
  });

  test('also counts infrastructure if that is included', async () => {
    expect(await ended(['model', 'infrastructure'], 0.0005)).toMatchObject({ reason: 'cost_limit' });
    expect(await ended(['model', 'infrastructure'], 0.01)).toMatchObject({ state: 'completed' });
  });

  test('counts only infrastructure if only that is included', async () => {
    expect(await ended(['infrastructure'], 0.00101)).toMatchObject({ state: 'completed' });
    expect(await ended(['infrastructure'], 0.001)).toMatchObject({ reason: 'cost_limit' });
  });
});
