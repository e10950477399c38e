import { describe, expect, test } from 'vitest';
import { wakeFor } from '../../../shared/agent/session/wake.ts';
import { failAfter, failBefore, freezeBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { verifyOrder } from './client-view.fixture.ts';
import { ending, endings, notedTool, resultsOf, textsOf, tool } from './reading.fixture.ts';

const get = () => notedTool('get', 'read');

describe('S-1: the same message twice', () => {
  test('S-1: after the commit it calls no model and adds no result', async () => {
    const { tool: read, keys } = get();
    const world = await sessionWorld({ tools: [read] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    const [message] = world.queue.messages();
    if (!message) throw new Error('no wake');
    await world.settle();
    await world.queue.send(message.wake);
    await world.settle();
    expect(world.model.requests).toHaveLength(2);
    expect(keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toHaveLength(1);
    expect(endings(await world.events())).toHaveLength(1);
  });

  test('S-1: while it is leased, the same message comes back and another one is dropped', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    const { session } = await world.view();
    await world.queue.send(wakeFor(session));
    world.faults.at('provider.complete', freezeBefore);
    const [own, other] = world.queue.visible();
    const first = world.begin({ messageId: own });
    expect(await first?.finish()).toBe('stopped');

    expect(await world.step({ messageId: other })).toBe('ack');
    // The visibility of the owner's message ran out early, for instance because a heartbeat came too late.
    const held = world.queue.messages().find(({ messageId }) => messageId === own);
    await world.clock.advance((held?.visibleAt ?? 0) - world.clock.now() - 10_000);
    await world.sessions.extend(world.key, 1, world.clock.now() + 60_000);
    await world.clock.advance(10_000);
    expect(await world.step({ messageId: own })).toBe('retry');
    expect(world.model.requests).toHaveLength(0);
    first?.host.thaw();
    expect(await first?.finish()).toBe('ack');
  });

  test('S-1: two messages at once make one step', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    await world.queue.send(wakeFor((await world.view()).session));
    const steps = [world.begin(), world.begin()];
    const ends = await Promise.all(steps.map((step) => step?.finish()));
    expect(ends).toEqual(['ack', 'ack']);
    await world.settle();
    expect(world.model.requests).toHaveLength(1);
  });
});

describe('S-2: a crash between commit and send', () => {
  test.each([
    { what: 'killed before the send', fault: killBefore },
    { what: 'killed after the send', fault: killAfter },
    { what: 'the send fails', fault: failBefore },
    { what: "the send's answer is lost", fault: failAfter },
  ])('S-2: $what: nothing that was committed is repeated', async ({ fault }) => {
    const { tool: read, keys } = get();
    const world = await sessionWorld({ tools: [read] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    world.faults.at('queue.send', fault);
    await world.settle();
    expect(world.model.requests).toHaveLength(2);
    expect(keys).toHaveLength(1);
    expect(ending(await world.events())).toEqual({ state: 'completed', reason: 'completed', steps: 2 });
    await verifyOrder(await world.events());
  });

  test('S-2: a crash after the last commit sends the end again to external listeners', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    await world.sessions.subscribe(world.key, 'c1');
    world.faults.at('sessions.commit', killAfter);
    await world.settle();
    expect(world.sockets.sent.at(-1)?.data).toContain('RUN_FINISHED');
    expect(world.model.requests).toHaveLength(1);
  });
});

describe('early and late wakes', () => {
  test('an early wake sends one wake for the right time', async () => {
    const world = await sessionWorld({}, scriptedModel(fails({ retryAfterMs: 300_000 }), says('ok')));
    await world.say('hi');
    await world.step();
    const [delayed] = world.queue.messages();
    const { session, dueAt = 0 } = await world.view();
    await world.queue.send(wakeFor(session));
    expect(await world.step()).toBe('ack');
    const after = world.queue.messages().filter(({ messageId }) => messageId !== delayed?.messageId);
    expect(after).toHaveLength(1);
    expect(after[0]?.visibleAt).toBeGreaterThanOrEqual(dueAt);
    await world.settle();
    expect(world.model.requests).toHaveLength(2);
  });

  test('a wake of a session that does not exist is dropped', async () => {
    const world = await sessionWorld();
    await world.queue.send({ tenant: 'acme', sessionId: 'nobody' });
    expect(await world.step()).toBe('ack');
  });

  test('wrong hints cost reads and change nothing', async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two')));
    await world.say('a');
    await world.settle();
    await world.say('b');
    const [message] = world.queue.messages();
    const handle = message && world.queue.receive(message.messageId);
    if (!handle) throw new Error('no wake');
    world.queue.delete(handle.handle);
    await world.queue.send({
      ...world.key,
      hint: { version: 7, from: 99, definition: 'gone', inbox: ['nope'] },
    });
    await world.settle();
    expect(textsOf(world.model.requests[1], 'user')).toEqual(['a', 'b']);
  });
});

describe('a newer epoch', () => {
  /** Freezes the first worker at `operation`, lets a second one take over and finish, and thaws the first. */
  async function overtaken(world: SessionWorld, operation: Parameters<SessionWorld['faults']['at']>[0]) {
    world.faults.at(operation, freezeBefore);
    const zombie = world.begin();
    expect(await zombie?.finish()).toBe('stopped');
    await world.clock.advance(70_000);
    await world.settle();
    const before = { view: await world.view(), slots: await world.slots() };
    zombie?.host.thaw();
    const end = await zombie?.finish();
    return { end, before };
  }

  test.each(['sessions.putSlot', 'sessions.commit'] as const)(
    'a zombie that resumes before %s commits nothing and comes back',
    async (operation) => {
      const model = scriptedModel(calls(['get', {}]), says('ok'), says('ok'), says('ok'));
      const world = await sessionWorld({ tools: [tool('get')] }, model);
      await world.say('hi');
      const { end, before } = await overtaken(world, operation);
      expect(end).toBe('retry');
      expect((await world.view()).session).toEqual(before.view.session);
      expect(await world.slots()).toEqual(before.slots);
      await verifyOrder(await world.events());
    },
  );

  test('a zombie that resumes before its fence starts no unsafe tool', async () => {
    const refund = notedTool('refund', 'once');
    const asks = calls(['refund', {}]);
    const world = await sessionWorld({ tools: [refund.tool] }, scriptedModel(asks, says('ok'), says('ok')));
    await world.say('refund me');
    const { end } = await overtaken(world, 'sessions.fence');
    expect(end).toBe('retry');
    expect(refund.keys).toHaveLength(1);
  });

  test('a zombie that resumes while its successor works starts no unsafe tool', async () => {
    const refund = notedTool('refund', 'once');
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('ok')),
    );
    await world.say('refund me');
    world.faults.at('sessions.fence', freezeBefore);
    const zombie = world.begin();
    expect(await zombie?.finish()).toBe('stopped');
    await world.clock.advance(335_000);
    world.faults.at('sessions.fence', freezeBefore);
    const successor = world.begin();
    expect(await successor?.finish()).toBe('stopped');

    zombie?.host.thaw();
    expect(await zombie?.finish()).toBe('retry');
    expect(refund.keys).toEqual([]);
    successor?.host.thaw();
    expect(await successor?.finish()).toBe('ack');
    await world.settle();
    expect(refund.keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok' }]);
  });

  test('a lost lease stops the model call within seconds', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    let stoppedAfter = 0;
    const slow = world.begin();
    world.faults.at('provider.complete', async (_proceed, _host, [, , signal]) => {
      const startedAt = world.clock.now();
      await world.sessions.claim({
        key: world.key,
        invocationId: 'other',
        messageId: 'm',
        now: startedAt + 70_000,
        leaseMs: 1,
      });
      if (signal instanceof AbortSignal)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stoppedAfter = world.clock.now() - startedAt;
      return says('too late');
    });
    expect(await slow?.finish()).toBe('retry');
    expect(stoppedAfter).toBeLessThanOrEqual(2_000);
    expect(await world.slots()).toEqual([]);
  });
});

describe('the lease of a long step', () => {
  test('heartbeats extend session and message: no owner overtakes a step of four minutes', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    world.faults.at('provider.complete', async (proceed) => {
      for (let minute = 1; minute <= 4; minute++) {
        await world.clock.sleep(60_000);
        expect(world.queue.visible()).toEqual([]);
        await world.queue.send(world.key);
        expect(await world.step()).toBe('ack');
      }
      return proceed();
    });
    expect(await world.step()).toBe('ack');
    await world.settle();
    expect(world.model.requests).toHaveLength(1);
    expect((await world.view()).fence.epoch).toBe(1);
  });

  test('a completed step leaves no timer behind', async () => {
    const world = await sessionWorld({ tools: [tool('get')] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    await world.settle();
    expect(world.clock.sleepers()).toBe(0);
    expect((await world.view()).leaseUntil).toBe(0);
  });
});
