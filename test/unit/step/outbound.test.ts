import { describe, expect, test } from 'vitest';
import { pkOf } from '../../../shared/memory/table.ts';
import { failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { tool } from './reading.fixture.ts';

const deliveries = (world: SessionWorld) => world.queue.deliveries.messages().map(({ wake }) => wake);
/** Clears the recorded deliveries. */
function drop(world: SessionWorld): void {
  for (let one = world.queue.deliveries.receive(); one; one = world.queue.deliveries.receive()) {
    world.queue.deliveries.delete(one.handle);
  }
}

describe('a session with external listeners', () => {
  test('notifies the delivery queue at the start of each step and with each commit', async () => {
    const model = scriptedModel(calls(['get', {}]), says('ok'));
    const world = await sessionWorld({ tools: [tool('get')] }, model, { outbound: true });
    await world.say('hi');
    expect(deliveries(world)).toEqual([]);
    await world.step();
    expect(deliveries(world)).toEqual([world.key, world.key]);
    await world.settle();
    expect(deliveries(world)).toHaveLength(4);
    expect((await world.view()).session.outbound).toBe(true);
  });

  test('and one without them never does', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    await world.settle();
    expect(world.faults.count('queue.deliver')).toBe(0);
    expect((await world.view()).session.outbound).toBe(false);
  });

  test('is neither delayed nor failed by a queue that is unreachable at its start', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')), { outbound: true });
    await world.say('hi');
    world.faults.at('queue.deliver', failBefore);
    expect(await world.step()).toBe('ack');
    expect(deliveries(world)).toEqual([world.key]);
  });

  test.each([
    { what: 'killed before it is notified', fault: killBefore },
    { what: 'killed after it was notified', fault: killAfter },
    { what: 'the queue cannot be reached', fault: failBefore },
    { what: 'the answer of the queue is lost', fault: failAfter },
  ])('$what: the redelivered message announces the last commit', async ({ fault }) => {
    const world = await sessionWorld({}, scriptedModel(says('ok')), { outbound: true });
    await world.say('hi');
    world.faults.at('queue.deliver', fault, 2);
    expect(await world.step()).not.toBe('ack');
    expect((await world.view()).session.state).toBe('completed');
    drop(world);
    await world.settle();
    expect(deliveries(world)).toEqual([world.key]);
    expect(world.model.requests).toHaveLength(1);
  });

  test('a replay that claims the session in between does not hide the commit', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')), { outbound: true });
    await world.say('hi', 'e1');
    world.faults.at('queue.deliver', killBefore, 2);
    expect(await world.step()).toBe('stopped');
    drop(world);
    // The state after a replay that read before the first step, and wrote to HEAD after it.
    const head = world.table.heads.get(pkOf(world.key));
    if (!head) throw new Error('no session');
    await world.inbox.markDone(world.key, ['e1']);
    const due = { dueAt: world.clock.now(), sweepAt: world.clock.now() };
    world.table.heads.set(pkOf(world.key), { ...head, ...due, inbox: ['e1'], consumed: [] });
    await world.settle();
    expect(deliveries(world).length).toBeGreaterThan(0);
  });
});
