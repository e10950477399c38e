import { describe, expect, test } from 'vitest';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, endings, ofType, tool } from './reading.fixture.ts';

const pay = tool('pay', undefined, { effect: 'once', approval: 'always' });
const fetch = tool('fetch', undefined, { where: 'queue' });

/** A session with a waiting run, and the expiry of that wait. The sweeper never runs in these tests. */
async function waiting(asked: 'pay' | 'fetch', seconds: number) {
  const definition = {
    tools: [pay, fetch],
    approvals: { expireAfterSeconds: seconds },
    limits: { queuedCallSeconds: seconds },
  };
  const world = await sessionWorld(definition, scriptedModel(calls([asked, {}]), says('Then not.')));
  await world.say('Go.');
  await world.step();
  const [wait] = (await world.view()).session.batch?.waits ?? [];
  if (!wait) throw new Error('nothing is waited for');
  return { world, wait };
}

const outcomes = async (world: SessionWorld) =>
  custom(await world.events(), 'steploop.decided').map(({ outcome }) => outcome);

describe('a wait that expires within fifteen minutes', () => {
  test.each([10, 60, 900])('of %d s for a person ends then, without the sweeper', async (seconds) => {
    const { world, wait } = await waiting('pay', seconds);
    expect(world.queue.nextVisibleAt()).toBeLessThan(wait.expiresAt + 1_000);
    await world.settle();
    expect(await outcomes(world)).toEqual(['expired']);
    const { session } = await world.view();
    expect(session).toMatchObject({ state: 'completed' });
    expect((session.lastEnding?.at ?? 0) - wait.expiresAt).toBeLessThan(2_000);
  });

  test('of a queued call ends then', async () => {
    const { world, wait } = await waiting('fetch', 600);
    await world.settle();
    const { session } = await world.view();
    expect(session).toMatchObject({ state: 'completed' });
    expect((session.lastEnding?.at ?? 0) - wait.expiresAt).toBeLessThan(2_000);
  });

  test('that was decided before: the late wake finds no work', async () => {
    const { world, wait } = await waiting('pay', 600);
    expect(await decide(world.key, wait.id, { approved: true, by: 'ann' }, world)).toBe('decided');
    await world.settle();
    expect(await outcomes(world)).toEqual(['approved']);
    expect(endings(await world.events())).toHaveLength(1);
    expect(world.model.requests).toHaveLength(2);
    expect(world.queue.messages()).toEqual([]);
  });

  test('whose wake dies before it has made the session due is ended by its redelivery', async () => {
    const { world } = await waiting('pay', 60);
    await world.clock.advance(62_000);
    world.faults.at('sessions.postpone', () => world.kill());
    expect(await world.step()).toBe('stopped');
    await world.settle();
    expect(await outcomes(world)).toEqual(['expired']);
  });

  test('whose wake comes too early is left to the sweeper', async () => {
    const { world, wait } = await waiting('pay', 60);
    await world.queue.send(world.key);
    const { messageId } = world.queue.messages().at(-1) ?? {};
    expect(await world.step({ ...(messageId && { messageId }) })).toBe('ack');
    expect((await world.view()).session.state).toBe('waiting_for_input');
    await world.clock.advance(wait.expiresAt - world.clock.now());
    expect(await sweep(world)).toEqual({ woken: 1, all: true });
  });
});

test('a wait beyond the longest message delay has no message, and is left to the sweeper', async () => {
  const { world, wait } = await waiting('pay', 901);
  expect(world.queue.messages()).toEqual([]);
  await world.clock.advance(wait.expiresAt - world.clock.now());
  await sweep(world);
  await world.settle();
  expect(await outcomes(world)).toEqual(['expired']);
  expect(ofType(await world.events(), 'RUN_FINISHED')).toHaveLength(2);
});
