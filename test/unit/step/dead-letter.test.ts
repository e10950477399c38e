import { describe, expect, test } from 'vitest';
import { reviveOrEnd } from '../../../shared/agent/entrypoints/dead-letter.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import type { Wake } from '../../../shared/contract/queue.ts';
import { failBefore, killBefore } from '../../../testing/faults.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ending, ofType } from './reading.fixture.ts';

const handle = (world: SessionWorld) => ({
  id: world.ids.next(),
  message: { messageId: world.ids.next(), receiptHandle: 'r' },
  deadlineAt: world.clock.now() + 60_000,
});

const revive = (world: SessionWorld, wake: Wake) =>
  reviveOrEnd(wake, handle(world), { agentOf: world.agentOf, leaseMs: 60_000 }, world, runStep);

describe('dead letters', () => {
  test('a wake of an idle or unknown session is dropped', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    await world.settle();
    expect(await revive(world, world.key)).toBe('ack');
    expect(await revive(world, { tenant: 'acme', sessionId: 'nobody' })).toBe('ack');
    expect(world.queue.messages()).toEqual([]);
  });

  test('a wake of a session with work is retried, and counts its round trips', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    const [first] = world.queue.messages();
    const gone = world.queue.receive(first?.messageId);
    if (gone) world.queue.delete(gone.handle);
    await revive(world, world.key);
    expect(world.queue.messages()).toMatchObject([{ wake: { deadLetters: 1 } }]);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('a wake that comes back too often ends the run with an error for its client, and keeps the message', async () => {
    const world = await sessionWorld({}, scriptedModel());
    await world.say('hi');
    await world.sessions.subscribe(world.key, 'c1');
    expect(await revive(world, { ...world.key, deadLetters: 2 })).toBe('ack');
    const events = await world.events();
    expect(ending(events)).toMatchObject({ state: 'error', reason: 'crash_loop' });
    expect(ofType(events, 'RUN_ERROR')).toMatchObject([
      { message: 'The step could not be started: its workers died before they could begin.' },
    ]);
    expect(world.sockets.sent.map(({ data }) => data).join()).toContain('RUN_ERROR');
    expect(await world.slots()).toMatchObject([{ input: [{ text: 'hi' }] }]);
    expect(world.model.requests).toEqual([]);
  });

  test('a run that ends this way reports how often its step was started, not how often it might have been', async () => {
    const world = await sessionWorld({}, scriptedModel(says('1'), says('2')));
    await world.say('hi');
    for (const nth of [1, 2]) world.faults.at('sessions.putSlot', killBefore, nth);
    await world.step();
    await world.clock.advance(335_000);
    await world.step();
    await world.clock.advance(335_000);
    await revive(world, { ...world.key, deadLetters: 2 });
    expect(ofType(await world.events(), 'RUN_ERROR')).toMatchObject([
      { message: 'The step was started 2 times and never finished.' },
    ]);
  });

  test('a revived wake that meets a lease comes again: the owner’s own message may be the one it replaces', async () => {
    const world = await sessionWorld({}, scriptedModel());
    await world.say('hi');
    world.queue.delete(world.queue.receive()?.handle ?? handle(world).message);
    const now = world.clock.now();
    await world.sessions.claim({
      key: world.key,
      invocationId: 'i',
      messageId: 'dead',
      now,
      leaseMs: 60_000,
    });
    const step = (wake: Wake) =>
      runStep(wake, handle(world), { agentOf: world.agentOf, leaseMs: 60_000 }, world);
    expect(await step(world.key)).toBe('ack');
    expect(world.queue.messages()).toEqual([]);
    expect(await step({ ...world.key, deadLetters: 1 })).toBe('ack');
    expect(world.queue.messages()).toMatchObject([{ wake: { deadLetters: 1 }, visibleAt: now + 60_000 }]);
  });

  test('a service that is down for long: the run continues when it is back', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    for (const nth of [1, 2, 3, 4, 5]) world.faults.at('sessions.claim', failBefore, nth);
    await world.settle();
    const dead = world.queue.takeDeadLetter();
    expect(dead).toMatchObject(world.key);
    if (dead) await revive(world, dead);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('the sweeper finds a session with a lost wake, but only after a while', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    const lost = world.queue.receive();
    if (lost) world.queue.delete(lost.handle);
    expect(await sweep(world)).toEqual({ woken: 0, all: true });
    await world.clock.advance(600_000);
    expect(await sweep(world)).toEqual({ woken: 1, all: true });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(await sweep(world)).toEqual({ woken: 0, all: true });
  });
});
