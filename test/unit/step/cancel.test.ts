import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { justBefore, killBefore } from '../../../testing/faults.ts';
import {
  calls,
  fails,
  says,
  saysAndCalls,
  scriptedModel,
  talksUntilStopped,
} from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { answersIn, ending, endings, notedTool, ofType, resultsOf, tool } from './reading.fixture.ts';

describe('A2: cancel', () => {
  test('A2: a cancel during a batch keeps the results so far and answers the rest', async () => {
    const second = notedTool('second', 'once');
    const model = scriptedModel(calls(['first', {}], ['second', {}]));
    const world = await sessionWorld({}, model);
    world.deploy({
      tools: [
        tool(
          'first',
          async () => {
            await cancel(world.key, world);
            await world.clock.sleep(3_000);
            return 'half way';
          },
          { effect: 'once' },
        ),
        second.tool,
      ],
    });
    await world.say('do both');
    await world.settle();

    expect(second.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([
      { name: 'first', outcome: 'ok', content: 'half way' },
      { name: 'second', outcome: 'cancelled' },
    ]);
    const events = await world.events();
    expect(endings(events)).toMatchObject([{ state: 'cancelled', reason: 'cancelled', success: false }]);
    expect(ofType(events, 'RUN_FINISHED')).toMatchObject([{ outcome: { type: 'cancelled' } }]);
    expect(model.requests).toHaveLength(1);
    await verifyOrder(events);
  });

  test('A2: after a cancel the conversation continues with every call answered', async () => {
    const model = scriptedModel(calls(['first', {}], ['second', {}]), says('hello again'));
    const world = await sessionWorld({}, model);
    world.deploy({
      tools: [
        tool('first', () => cancel(world.key, world).then(() => world.clock.sleep(3_000)), {
          effect: 'idempotent',
        }),
        tool('second'),
      ],
    });
    await world.say('do both');
    await world.settle();
    await world.say('are you there?');
    await world.settle();
    expect(answersIn(model.requests[1])).toMatchObject([{}, { is_error: true }]);
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['cancelled', 'completed']);
  });

  test('A2: a reply that a cancel cut before its first text is no empty reply, however many came before', async () => {
    const model = scriptedModel(says(''), says(''), talksUntilStopped(''));
    const world = await sessionWorld({ guardrails: { empty: { onExhausted: 'model_error' } } }, model);
    await world.say('Go');
    await world.step();
    await world.step();
    const third = world.begin();
    await world.clock.advance(5_000);
    await cancel(world.key, world);
    await world.clock.advance(2_000);
    expect(await third?.finish()).toBe('ack');
    expect(model.requests).toHaveLength(3);
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
  });

  test('A2: a cancel stops a reply within two seconds, and its text stays', async () => {
    const model = scriptedModel(talksUntilStopped('Once upon a time'));
    const world = await sessionWorld({}, model);
    await world.say('tell me a story');
    const step = world.begin();
    await world.clock.advance(5_000);
    await cancel(world.key, world);
    await world.clock.advance(2_000);
    expect(await step?.finish()).toBe('ack');

    const events = await world.events();
    expect(ending(events)).toMatchObject({ state: 'cancelled', steps: 1 });
    expect(clientView(events)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Once upon a time' },
    ]);
    await verifyOrder(events);
  });

  test('A2: a cancel during a backoff ends the run at once', async () => {
    const world = await sessionWorld({}, scriptedModel(fails({ retryAfterMs: 600_000 })));
    await world.say('hi');
    await world.step();
    await cancel(world.key, world);
    expect(await world.step()).toBe('ack');
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled', steps: 0 });
    await world.settle();
    expect(endings(await world.events())).toHaveLength(1);
  });

  test('A2: a cancel that the commit sees beats completion', async () => {
    const world = await sessionWorld({}, scriptedModel(says('all done')));
    await world.say('hi');
    world.faults.at(
      'sessions.commit',
      justBefore(() => cancel(world.key, world)),
    );
    await world.settle();
    const events = await world.events();
    expect(endings(events)).toMatchObject([{ state: 'cancelled' }]);
    expect(clientView(events).at(-1)).toMatchObject({ content: 'all done' });
    expect(world.faults.count('sessions.commit')).toBe(2);
  });

  test('A2: a cancel after the commit has nothing to stop', async () => {
    const world = await sessionWorld({}, scriptedModel(says('all done')));
    await world.say('hi');
    await world.settle();
    expect(await cancel(world.key, world)).toBe('idle');
    expect(world.queue.messages()).toEqual([]);
  });

  test('A2: a cancel between reply and unsafe tool starts nothing', async () => {
    const refund = notedTool('refund', 'once');
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(saysAndCalls('Right away.', ['refund', {}])),
    );
    await world.say('refund me');
    world.faults.at(
      'sessions.fence',
      justBefore(() => cancel(world.key, world)),
    );
    await world.settle();
    expect(refund.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'cancelled' }]);
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
  });

  test('A2: no change starts once a cancel is acknowledged, with or without a fence, however recent it is', async () => {
    for (const effect of ['idempotent', 'once'] as const) {
      const pay = notedTool('pay', effect);
      const put = notedTool('put', effect, () => cancel(world.key, world).then(() => 'put'));
      const world = await sessionWorld(
        { tools: [put.tool, pay.tool] },
        scriptedModel(calls(['put', {}], ['pay', {}])),
      );
      await world.say('do both');
      await world.settle();
      expect([effect, put.keys.length, pay.keys.length]).toEqual([effect, 1, 0]);
      expect(resultsOf(await world.slots())).toMatchObject([
        { name: 'put', outcome: 'ok' },
        { name: 'pay', outcome: 'cancelled' },
      ]);
      expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
    }
  });

  test('A2: a cancel during the last words of a reply starts none of its calls but plain reads', async () => {
    const pay = notedTool('pay', 'idempotent');
    const look = notedTool('look', 'read');
    const world = await sessionWorld({ tools: [look.tool, pay.tool] }, scriptedModel());
    world.model.answer(async () => {
      await cancel(world.key, world);
      return calls(['look', {}], ['pay', {}]);
    });
    await world.say('pay');
    await world.settle();
    expect([look.keys.length, pay.keys.length]).toEqual([1, 0]);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok' }, { outcome: 'cancelled' }]);
  });

  test('A2: an owner that has lost the session notices before its next change', async () => {
    const put = notedTool('put', 'idempotent');
    const world = await sessionWorld({ tools: [put.tool] }, scriptedModel(calls(['put', {}])));
    await world.say('put it');
    world.faults.at('sessions.watch', async () => ({ epoch: 2, cancelGen: 0, subscribers: [] }));
    expect(await world.step()).toBe('retry');
    expect(put.keys).toEqual([]);
  });

  test('A2: plain reads, calls of unknown tools and fenced calls cost no look at HEAD', async () => {
    const look = notedTool('look', 'read');
    const pay = notedTool('pay', 'once');
    const world = await sessionWorld(
      { tools: [look.tool, pay.tool] },
      scriptedModel(calls(['look', {}], ['nope', {}], ['pay', {}]), says('done')),
    );
    await world.say('go');
    await world.settle();
    expect([look.keys.length, pay.keys.length, world.faults.count('sessions.watch')]).toEqual([1, 1, 0]);
  });

  test('A2: a cancel is used up by the run that it stopped', async () => {
    const world = await sessionWorld({}, scriptedModel(fails({ retryAfterMs: 600_000 }), says('hello')));
    await world.say('hi');
    await world.step();
    await cancel(world.key, world);
    await world.settle();
    await world.say('and now?');
    await world.settle();
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['cancelled', 'completed']);
  });
});

describe('A2: cancel while a dead attempt is recovered', () => {
  test('A2: a call that ran and whose result was kept is in history', async () => {
    const refund = notedTool('refund', 'once', () => 'refunded');
    const world = await sessionWorld({ tools: [refund.tool] }, scriptedModel(calls(['refund', {}])));
    await world.say('refund me');
    world.faults.at('sessions.putResult', async (proceed, host) => {
      await proceed();
      return host.kill();
    });
    await world.step();
    await cancel(world.key, world);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
    expect(refund.keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toMatchObject([
      { name: 'refund', outcome: 'ok', content: 'refunded' },
    ]);
    expect((await world.view()).session.totals).toMatchObject({ input: 100, output: 50 });
  });

  test('A2: a call that had not started is not started, and is answered', async () => {
    const refund = notedTool('refund', 'once');
    const world = await sessionWorld({ tools: [refund.tool] }, scriptedModel(calls(['refund', {}])));
    await world.say('refund me');
    world.faults.at('sessions.fence', killBefore);
    await world.step();
    await cancel(world.key, world);
    await world.settle();
    expect(refund.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([{ name: 'refund', outcome: 'cancelled' }]);
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
  });

  test('A2: a call without a fence, which the dead attempt may have made, is not reported as not started', async () => {
    const add = notedTool('add', 'idempotent', () => world.kill());
    const world = await sessionWorld({ tools: [add.tool] }, scriptedModel(calls(['add', {}])));
    await world.say('add it');
    await world.step();
    await cancel(world.key, world);
    await world.settle();
    expect(add.keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toMatchObject([{ name: 'add', outcome: 'unknown' }]);
  });

  test('A2: clients see what history contains', async () => {
    const world = await sessionWorld({}, scriptedModel(says('all done')));
    await world.say('hi');
    world.faults.at('sessions.commit', (_proceed, host) => host.kill());
    await world.step();
    await cancel(world.key, world);
    await world.settle();
    const shown = clientView(await world.events()).map(({ role }) => role);
    const kept = (await world.slots()).flatMap((slot) =>
      slot.kind === 'model' && slot.reply ? ['user', 'assistant'] : ['user'],
    );
    expect(shown).toEqual(kept);
  });

  test('A2: a cancel of a session that was woken without work does not cancel the next run', async () => {
    const gate = Promise.withResolvers<void>();
    let slow = false;
    const betweenWrites = async () => {
      if (slow) await gate.promise;
    };
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two'), says('three')), {
      betweenWrites,
    });
    await world.say('a', 'e1');
    slow = true;
    const replay = world.say('a', 'e1');
    await world.step();
    slow = false;
    await world.say('b', 'e2');
    await world.settle();
    await world.say('c', 'e3');
    await world.settle();
    gate.resolve();
    await replay;
    await cancel(world.key, world);
    await world.settle();
    world.model.answer(says('four'));
    await world.say('d', 'e4');
    await world.settle();
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(Array(4).fill('completed'));
  });
});
