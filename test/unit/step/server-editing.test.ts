import { describe, expect, test } from 'vitest';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { getting, run, small } from './folds.fixture.ts';
import { custom } from './reading.fixture.ts';

/** One step of an agent with this strategy; its server reports that it has cleared 50,000 tokens. */
async function step(strategy: 'server' | 'staged') {
  const answer = reply({ content: [{ type: 'text', text: 'Nine.' }], cleared: 50_000 });
  const world = await sessionWorld(
    {
      model: { name: 'm', window: 210_000, maxTokens: 10_000, fallbacks: [{ name: 'n', window: 110_000 }] },
      guardrails: { context: { strategy, keepToolTurns: 4 } },
    },
    scriptedModel(answer),
  );
  await world.say('Hi');
  await world.settle();
  const [usage] = custom(await world.events(), 'steploop.usage');
  return { request: world.model.requests[0], usage };
}

describe('the strategy `server`', () => {
  test('tells the model’s server to clear as a fold would: above 80 % of the limit, down to half of it', async () => {
    const { request } = await step('server');
    expect(request?.editing).toEqual({ above: 160_000, atLeast: 60_000, keepResults: 4 });
  });

  test('reports what the server has cleared, with the usage of the call', async () => {
    expect((await step('server')).usage).toMatchObject({ cleared: 50_000 });
  });

  test('is the only one that requests it', async () => {
    expect((await step('staged')).request).not.toHaveProperty('editing');
  });

  test('folds nothing by itself: its server clears', async () => {
    const { folds, model } = await run(small({ strategy: 'server' }), {}, ...getting(8), says('Eight.'));
    expect(folds).toEqual([]);
    expect(model.requests).toHaveLength(9);
  });
});
