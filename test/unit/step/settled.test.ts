import { expect, test } from 'vitest';
import { dueNow } from '../../../shared/memory/head.ts';
import { pkOf } from '../../../shared/memory/table.ts';
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

test('so does a step that was woken for nothing', async () => {
  const world = await sessionWorld({}, scriptedModel(says('ok')));
  await world.say('hi');
  await world.settle();
  const pk = pkOf(world.key);
  const head = world.table.heads.get(pk);
  if (!head) throw new Error('no session');
  world.table.heads.set(pk, { ...head, ...dueNow(world.clock.now()) });
  await world.queue.send(world.key);
  world.faults.at('sessions.commit', superseded);
  expect(await world.step()).toBe('retry');
  expect(world.queue.messages()).toHaveLength(1);
});
