import { expect, test } from 'vitest';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { ofType, resultsOf } from '../step/reading.fixture.ts';
import { asksFor, filesOf, writes } from './files.fixture.ts';

test('approved calls change files in call order: a later call of the batch has seen the change, and stands', async () => {
  const adding = (content: string) => ({ path: 'a', content, add: true });
  const model = scriptedModel(
    asksFor(['write', { path: 'a', content: '1' }], ['approved', adding('2')], ['write', adding('3')]),
    says('Done.'),
  );
  const tools = [writes(), writes('approved', { approval: 'always' })];
  const world = await sessionWorld({ tools }, model);
  await world.say('Go');
  await world.settle();
  const [wait] = (await world.view()).session.batch?.waits ?? [];
  await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ann' }, world);
  await world.settle();
  expect(await filesOf(world)).toEqual({ a: '123' });
});

test('for queued calls that have changed one file the kept results are reported: those of both, and which one stands', async () => {
  const model = scriptedModel(
    asksFor(['queued', { path: 'a', content: 'one' }], ['queued', { path: 'a', content: 'two' }]),
    says('Done.'),
  );
  const world = await sessionWorld({ tools: [writes('queued', { where: 'queue' })] }, model);
  await world.say('Go');
  await settleWithCalls(world);
  expect(await filesOf(world)).toEqual({ a: 'two' });
  const kept = resultsOf(await world.slots()).map(({ content }) => content);
  expect(kept[1]).toContain('Another call of the same reply has changed this too');
  expect(ofType(await world.events(), 'TOOL_CALL_RESULT').map(({ content }) => content)).toEqual(kept);
});
