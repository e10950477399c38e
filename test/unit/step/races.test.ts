import { describe, expect, test } from 'vitest';
import { askOf } from '../../../shared/agent/entrypoints/accept.ts';
import { failAfter, justBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { answersIn, ending, endings, textsOf, tool } from './reading.fixture.ts';

describe('events that race a commit', () => {
  test('a message that races the completing commit is answered by the same run', async () => {
    const model = scriptedModel(says('done'), says('that too'));
    const world = await sessionWorld({}, model);
    await world.say('hi', 'e1');
    world.faults.at(
      'sessions.commit',
      justBefore(() => world.say('one more', 'e2')),
    );
    await world.settle();
    const events = await world.events();
    expect(endings(events)).toMatchObject([{ state: 'completed', steps: 2 }]);
    expect(clientView(events).map((message) => message.content)).toEqual([
      'hi',
      'done',
      'one more',
      'that too',
    ]);
    await verifyOrder(events);
  });

  test('a message during a tool step joins at the next step', async () => {
    const model = scriptedModel(calls(['get', {}]), says('ok'));
    const world = await sessionWorld({}, model);
    world.deploy({ tools: [tool('get', async () => void (await world.say('hurry', 'e2')))] });
    await world.say('hi', 'e1');
    await world.settle();
    expect(answersIn(model.requests[1])).toHaveLength(1);
    expect(model.requests[1]?.messages.at(-1)?.content.map(({ type }) => type)).toEqual([
      'tool_result',
      'text',
    ]);
    expect(endings(await world.events())).toHaveLength(1);
  });

  test('two messages that wait are drained together, oldest first', async () => {
    const world = await sessionWorld({}, scriptedModel(says('both')));
    await world.say('first', 'z');
    await world.clock.advance(10);
    await world.say('second', 'a');
    await world.settle();
    expect(textsOf(world.model.requests[0], 'user')).toEqual(['first', 'second']);
    expect(world.model.requests).toHaveLength(1);
  });

  describe('more messages than one slot holds', () => {
    const large = (n: number) => `${n} ${'x'.repeat(99_000)}`;
    const said = (text: string) => Number.parseInt(text, 10);

    test('each step takes the oldest, and the run continues until the last one is answered', async () => {
      const world = await sessionWorld({}, scriptedModel(...Array.from({ length: 4 }, () => says('ok'))));
      for (let n = 1; n <= 7; n++) {
        await world.say(large(n), `e${10 - n}`);
        await world.clock.advance(10);
      }
      await world.settle();
      const slots = await world.slots();
      expect(slots.map((slot) => slot.kind === 'model' && slot.input.map(({ text }) => said(text)))).toEqual([
        [1, 2],
        [3, 4],
        [5, 6],
        [7],
      ]);
      expect(textsOf(world.model.requests[3], 'user').map(said)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      const events = await world.events();
      expect(endings(events)).toMatchObject([{ state: 'completed', steps: 4 }]);
      await verifyOrder(events);
      expect((await world.view()).fence.inbox).toEqual([]);
    });

    test('one that fills a slot by itself is taken alone, however escaping enlarges it', async () => {
      const guardrails = { context: { strategy: 'none' } } as const;
      const world = await sessionWorld({ guardrails }, scriptedModel(says('ok'), says('ok'), says('ok')));
      for (const text of ['a', '\u0001'.repeat(100_000), 'b']) {
        await world.say(text);
        await world.clock.advance(10);
      }
      await world.settle();
      const inputs = (await world.slots()).map((slot) => slot.kind === 'model' && slot.input.length);
      expect(inputs).toEqual([1, 1, 1]);
    });

    test('requests to the run are handled at once', async () => {
      const world = await sessionWorld({}, scriptedModel(calls(['get', {}]), says('summed up'), says('ok')));
      world.deploy({
        tools: [
          tool('get', async () => {
            for (let n = 1; n <= 3; n++) {
              await world.say(large(n));
              await world.clock.advance(10);
            }
            await askOf(world.key, 'wrap_up', 'w1', world);
          }),
        ],
      });
      await world.say('hi');
      await world.settle();
      expect(textsOf(world.model.requests[1], 'user').map(said).filter(Number.isInteger)).toEqual([1, 2]);
      expect(textsOf(world.model.requests[2], 'user').map(said).filter(Number.isInteger)).toEqual([1, 2, 3]);
      const codes = (await world.slots()).map((slot) => slot.kind === 'model' && slot.textOnly?.code);
      expect(codes).toEqual([undefined, false, 'wrap_up', 'wrap_up']);
      expect(endings(await world.events())).toMatchObject([{ state: 'completed', steps: 3 }]);
    });
  });

  test('they are drained oldest first also if the wake announces only the newer one', async () => {
    const world = await sessionWorld({}, scriptedModel(says('both')));
    await world.say('first', 'e1');
    await world.clock.advance(10);
    await world.say('second', 'e2');
    for (const messageId of world.queue.visible()) {
      const delivery = world.queue.receive(messageId);
      if (delivery) world.queue.delete(delivery.handle);
    }
    const { definition, version } = (await world.view()).session;
    await world.queue.send({ ...world.key, hint: { version, from: 0, definition, inbox: ['e2'] } });
    await world.settle();
    expect(textsOf(world.model.requests[0], 'user')).toEqual(['first', 'second']);
  });

  test('a replay of an event starts no second run, before and after it was answered', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok'), says('next')));
    expect(await world.say('hi', 'e1')).toBe('accepted');
    expect(await world.say('hi', 'e1')).toBe('duplicate');
    await world.settle();
    expect(await world.say('hi', 'e1')).toBe('duplicate');
    await world.settle();
    await world.say('more', 'e2');
    await world.settle();
    expect(await world.say('hi', 'e1')).toBe('duplicate');
    expect(await world.say('something else', 'e1')).toBe('conflict');
    await world.settle();
    expect(world.model.requests).toHaveLength(2);
    expect(endings(await world.events())).toHaveLength(2);
  });

  test('a commit whose answer was lost is not made twice', async () => {
    const world = await sessionWorld({ tools: [tool('get')] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    world.faults.at('sessions.commit', failAfter);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 2 });
    expect((await world.view()).session.totals).toMatchObject({ input: 200, output: 100 });
  });

  test('a commit that is sent twice, with a message between, counts once and loses nothing', async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two')));
    await world.say('a', 'e1');
    world.faults.at('sessions.commit', async (proceed) => {
      await proceed();
      await world.say('b', 'e2');
      return proceed();
    });
    expect(await world.step()).toBe('ack');
    expect((await world.view()).fence.inbox).toEqual(['e2']);
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ steps: 1 }, { steps: 1 }]);
    expect((await world.view()).session.totals).toMatchObject({ input: 200, output: 100 });
  });

  test('a message after a run that hit its limit starts a new run', async () => {
    const model = scriptedModel(async () => {
      await world.say('wait', 'e2');
      return calls(['get', {}]);
    }, says('ok'));
    const world = await sessionWorld({ tools: [tool('get')], limits: { maxSteps: 1 } }, model);
    await world.say('hi', 'e1');
    await world.settle();
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['max_steps', 'completed']);
    await verifyOrder(await world.events());
  });
});
