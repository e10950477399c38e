import { expect, test } from 'vitest';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { accept } from '../../../shared/agent/entrypoints/accept.ts';
import { killBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ending, textsOf, tool } from './reading.fixture.ts';

const TAKEN_BACK = 'They have deleted a message.';
const takeBack = (world: SessionWorld, withdraws: string, id = `${withdraws}-gone`) =>
  accept(world.key, { eventId: id, text: TAKEN_BACK, withdraws }, world);

test('a message that is taken back before a step has read it is never read', async () => {
  const world = await sessionWorld({}, scriptedModel(says('hello')));
  await world.say('hi', 'e1');
  await world.clock.advance(10);
  await world.say('my password is hush', 'e2');
  await world.clock.advance(10);
  await takeBack(world, 'e2');
  await world.settle();
  expect(textsOf(world.model.requests[0], 'user')).toEqual(['hi']);
  expect(JSON.stringify(await world.events())).not.toContain('hush');
  expect(await world.view()).toMatchObject({ fence: { inbox: [] } });
});

test('one that is the only message begins no run', async () => {
  const world = await sessionWorld({}, scriptedModel());
  await world.say('hi', 'e1');
  await takeBack(world, 'e1');
  await world.settle();
  expect(world.model.requests).toHaveLength(0);
  expect((await world.view()).fence.inbox).toEqual([]);
});

test('one that was read is followed by the sentence about it', async () => {
  const model = scriptedModel(calls(['get', {}]), says('forgotten'));
  const world = await sessionWorld({}, model);
  world.deploy({ tools: [tool('get', async () => void (await takeBack(world, 'e1')))] });
  await world.say('hi', 'e1');
  await world.settle();
  expect(textsOf(model.requests[1], 'user')).toEqual(['hi', TAKEN_BACK]);
  expect(ending(await world.events())).toMatchObject({ state: 'completed' });
});

test('one that a dead worker has read, and whose reply is kept, is followed by the sentence in the next step', async () => {
  const model = scriptedModel(calls(['get', {}]), says('forgotten'));
  const world = await sessionWorld({ tools: [tool('get')] }, model);
  await world.say('hi', 'e1', 'user:ada');
  world.faults.at('sessions.commit', killBefore);
  await world.step();
  await takeBack(world, 'e1');
  await world.settle();
  expect(textsOf(model.requests.at(-1), 'user')).toEqual(['hi', TAKEN_BACK]);
  expect((await world.view()).session.run?.requesters).toEqual(['user:ada']);
});

test('one that a dead worker has shown, and of which nothing is kept, ends its run with the sentence', async () => {
  const model = scriptedModel(says('hello'), says('forgotten'));
  const world = await sessionWorld({}, model);
  await world.say('my password is hush', 'e1');
  world.faults.at('sessions.putSlot', killBefore);
  await world.step();
  await takeBack(world, 'e1');
  await world.settle();
  expect(textsOf(model.requests.at(-1), 'user')).toEqual([TAKEN_BACK]);
  const events = await world.events();
  expect(ending(events)).toMatchObject({ state: 'completed' });
  expect(JSON.stringify(events.findLast(({ type }) => type === 'MESSAGES_SNAPSHOT'))).not.toContain('hush');
});

test('an answer to a question that is taken back in time answers nothing', async () => {
  const model = scriptedModel(calls(['ask_user', { question: 'Which?' }]), says('Red it is.'));
  const world = await sessionWorld({ tools: [askUser] }, model);
  await world.say('paint', 'e1');
  await world.settle();
  await world.say('blue', 'e2');
  await takeBack(world, 'e2');
  await world.settle();
  expect(model.requests).toHaveLength(1);
  expect((await world.view()).session).toMatchObject({ batch: { waits: [{ kind: 'question' }] } });
  await world.say('red', 'e3');
  await world.settle();
  expect(JSON.stringify(model.requests[1])).toContain('red');
  expect(JSON.stringify(model.requests[1])).not.toContain('blue');
});

test('a repetition of either changes nothing', async () => {
  const world = await sessionWorld({}, scriptedModel(says('hello')));
  await world.say('hi', 'e1');
  await world.say('no', 'e2');
  await takeBack(world, 'e2');
  await takeBack(world, 'e2');
  await world.settle();
  await takeBack(world, 'e2');
  await world.say('no', 'e2');
  await world.settle();
  expect(world.model.requests).toHaveLength(1);
});
