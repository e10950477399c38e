import { expect, test } from 'vitest';
import { dueNow } from '../../../shared/memory/head.ts';
import { pkOf } from '../../../shared/memory/table.ts';
import { justBefore } from '../../../testing/faults.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';

/** The message of a step that has lost its session may be the last one that the session has. */
const superseded = async () => ({ kind: 'superseded' });

test('a step whose commit comes too late leaves its message on the queue', async () => {
  const world = await sessionWorld({}, scriptedModel(says('ok')));
  await world.say('hi');
  world.faults.at('sessions.commit', superseded);
  expect(await world.step()).toBe('retry');
  expect(world.queue.messages()).toHaveLength(1);
});

/** A session whose events have all been read, and that is due all the same. */
async function wokenForNothing() {
  const world = await sessionWorld({}, scriptedModel(says('ok')));
  await world.say('hi');
  await world.settle();
  const pk = pkOf(world.key);
  const head = world.table.heads.get(pk);
  if (!head) throw new Error('no session');
  world.table.heads.set(pk, { ...head, ...dueNow(world.clock.now()) });
  await world.queue.send(world.key);
  return world;
}

test('so does a step that was woken for nothing', async () => {
  const world = await wokenForNothing();
  world.faults.at('sessions.commit', superseded);
  expect(await world.step()).toBe('retry');
  expect(world.queue.messages()).toHaveLength(1);
});

test('a step that was woken for nothing does not rest over a message that comes meanwhile', async () => {
  const world = await wokenForNothing();
  world.model.answer(says('again'));
  world.faults.at(
    'sessions.commit',
    justBefore(() => world.say('more')),
  );
  await world.settle();
  expect(world.model.requests).toHaveLength(2);
});
