import { expect, test } from 'vitest';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, tool } from './reading.fixture.ts';

test('subscribers see the progress of a call: bounded, throttled, the end in any case, and never the model', async () => {
  const works = tool('works', async (_input, { progress, later }) => {
    progress('page 1 of 9', 0.1);
    progress('page 2 of 9', 0.2);
    progress('all pages', 1);
    const { token } = await later();
    progress(`answer at ${token}`, 1);
    return 'done';
  });
  const odd = tool('odd', (_input, { progress }) => {
    progress(`${'x'.repeat(600)}`, 7);
    return 'done';
  });
  const model = scriptedModel(calls(['works', {}], ['odd', {}]), says('Done.'));
  const world = await sessionWorld({ tools: [works, odd] }, model);
  await world.say('Work.');
  await world.settle();
  const told = custom(await world.events(), 'steploop.progress');
  expect(told.map(({ message, share }) => [message.slice(0, 11), share]).sort()).toEqual([
    ['all pages', 1],
    ['page 1 of 9', 0.1],
    ['xxxxxxxxxxx', undefined],
  ]);
  expect(told.every(({ message }) => message.length <= 500)).toBe(true);
  expect(JSON.stringify(model.requests)).not.toContain('page 1 of 9');
});
