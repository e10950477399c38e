import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { failBefore, justBefore, killBefore } from '../../../testing/faults.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { custom, ending, ofType, tool } from './reading.fixture.ts';

/** Streams text for two seconds, so that it is pushed and logged, and dies. */
const diesSaying =
  (text: string, of: () => SessionWorld): Scripted =>
  async ({ stream }) => {
    stream(text);
    await of().clock.sleep(2_000);
    return of().kill();
  };

describe('A19: the stream of a killed attempt', () => {
  test('A19: the next claimant ends it, aborts it and sends a snapshot', async () => {
    const model = scriptedModel(
      diesSaying('The answer', () => world),
      says('The answer is 42.'),
    );
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();

    const events = await world.events();
    await verifyOrder(events);
    const [, dead, good] = ofType(events, 'TEXT_MESSAGE_START');
    expect(custom(events, 'steploop.aborted')).toMatchObject([{ messageIds: [dead?.messageId] }]);
    expect(dead?.messageId).not.toBe(good?.messageId);
    expect(custom(events, 'steploop.recovered')).toMatchObject([{ attempt: 2, adopted: false }]);
    expect(ofType(events, 'MESSAGES_SNAPSHOT')).toMatchObject([
      { messages: [{ role: 'user', content: 'hi' }] },
    ]);
    expect(clientView(events).map((message) => message.content)).toEqual(['hi', 'The answer is 42.']);
  });

  test('A19: the run is started once, and the step gets another name', async () => {
    const world = await sessionWorld(
      {},
      scriptedModel(
        diesSaying('Well', () => world),
        diesSaying('Well', () => world),
        says('ok'),
      ),
    );
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    expect(ofType(events, 'RUN_STARTED')).toHaveLength(1);
    expect(ofType(events, 'STEP_STARTED').map(({ stepName }) => stepName)).toEqual([
      'step 1',
      'step 1, attempt 2',
      'step 1, attempt 3',
    ]);
  });

  test('A19: an attempt that died before it streamed anything leaves nothing to close', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    world.faults.at('provider.complete', killBefore);
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    expect(
      custom(events, 'steploop.aborted').filter(({ messageIds }) => messageIds.includes('user-event1')),
    ).toEqual([]);
    expect(clientView(events).map((message) => message.content)).toEqual(['hi', 'ok']);
  });

  test('A19: frames that a subscriber got before the kill are in the log', async () => {
    const world = await sessionWorld(
      {},
      scriptedModel(
        diesSaying('Once', () => world),
        says('ok'),
      ),
    );
    await world.say('hi');
    await world.sessions.subscribe(world.key, 'c1');
    await world.step();
    const logged = new Set((await world.log.read(world.key, 0, 1000)).map(({ seq }) => seq));
    const pushed = world.sockets.sent.flatMap(
      ({ data }) => (JSON.parse(data) as { frames: { seq: number; event: { type: string } }[] }).frames,
    );
    const opened = pushed.filter(
      ({ event }) => event.type.endsWith('_STARTED') || event.type.endsWith('_START'),
    );
    expect(opened.length).toBeGreaterThanOrEqual(4);
    expect(opened.filter(({ seq }) => !logged.has(seq))).toEqual([]);
  });

  test('A19: a kill between the calls and their results leaves every call shown once', async () => {
    const world = await sessionWorld({}, scriptedModel(calls(['get', {}]), says('ok')));
    let first = true;
    world.deploy({
      tools: [
        tool('get', async () => {
          if (!first) return 'got';
          first = false;
          await world.clock.sleep(2_000);
          return world.kill();
        }),
      ],
    });
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    expect(clientView(events).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(ending(events)).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('A19: a reply that was adopted is shown once', async () => {
    const world = await sessionWorld({}, scriptedModel(says('all done')));
    await world.say('hi');
    world.faults.at('sessions.commit', killBefore);
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    expect(clientView(events)).toMatchObject([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'all done' },
    ]);
    expect(world.model.requests).toHaveLength(1);
  });

  test('A19: a log that fails one read does not block the session for ever', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    world.faults.at('provider.complete', killBefore);
    await world.step();
    await world.clock.advance(335_000);
    world.faults.at('log.read', failBefore);
    expect(await world.step()).toBe('retry');
    await world.clock.advance(300_000);
    expect((await world.view()).leaseUntil).toBeLessThanOrEqual(world.clock.now());
  });

  test("A19: the user's text of a refused attempt is shown once", async () => {
    const model = scriptedModel(
      async () => {
        await world.say('wait, one more thing', 'e2');
        return calls(['get', {}]);
      },
      diesSaying('Hm', () => world),
      says('ok'),
    );
    const world = await sessionWorld({ tools: [tool('get')] }, model);
    await world.say('hi', 'e1');
    await world.step();
    await world.step();
    await cancel(world.key, world);
    await world.settle();
    const shown = clientView(await world.events()).filter(({ id }) => id === 'user-e2');
    expect(shown).toHaveLength(1);
  });

  test('A19: frames that a zombie logs too late do not count as open for ever', async () => {
    const model = scriptedModel(async ({ stream }) => {
      stream('I am');
      world.faults.latest.freeze();
      await zombieAwake.promise;
      return says('a zombie');
    }, says('ok'));
    const zombieAwake = Promise.withResolvers<void>();
    const world = await sessionWorld({}, model);
    await world.say('hi');
    const zombie = world.begin();
    await world.clock.advance(50);
    await world.clock.advance(70_000);
    world.faults.at(
      'sessions.commit',
      justBefore(async () => {
        zombie?.host.thaw();
        zombieAwake.resolve();
        await zombie?.finish();
      }),
    );
    await world.settle();
    await verifyOrder(await world.events());
  });
});
