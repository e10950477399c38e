import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { LATE_MS } from '../../../shared/agent/session/known.ts';
import { settle as promisesSettled } from '../../../testing/clock.ts';
import { freezeBefore, killBefore } from '../../../testing/faults.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { endings, textsOf } from './reading.fixture.ts';
import type { Definition } from './rows.fixture.ts';

/** Reads start beside the claim, so they may show the state before it. */
describe('reads that are older than the claim', () => {
  test('a commit between read and claim: the missing slots are read again', async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two')));
    await world.say('a');
    const [own] = world.queue.visible();
    await world.say('b');
    const [, other] = world.queue.visible();
    // The claim of the second message is slow: the first one's whole step fits in between.
    world.faults.at('sessions.claim', async (proceed) => {
      expect(await world.step({ messageId: own })).toBe('ack');
      await world.say('c');
      return proceed();
    });
    expect(await world.step({ messageId: other })).toBe('ack');
    await world.settle();
    expect(world.model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('a slot that was overwritten and committed between read and claim is read again', async () => {
    const model = scriptedModel(says('of a zombie'), says('of its successor'), says('bye'));
    const world = await sessionWorld({}, model);
    await world.say('a', 'e1');
    world.faults.at('sessions.putSlot', freezeBefore);
    const zombie = world.begin();
    expect(await zombie?.finish()).toBe('stopped');
    await world.clock.advance(335_000);
    world.faults.at('sessions.putSlot', freezeBefore);
    const successor = world.begin();
    expect(await successor?.finish()).toBe('stopped');
    zombie?.host.thaw();
    expect(await zombie?.finish()).toBe('retry');

    await world.say('b', 'e2');
    world.faults.at('sessions.claim', async (proceed) => {
      successor?.host.thaw();
      expect(await successor?.finish()).toBe('ack');
      return proceed();
    });
    expect(await world.step()).toBe('ack');
    await world.settle();
    expect(textsOf(model.requests.at(-1), 'assistant')).toEqual(['of its successor']);
  });
});

test('no model is called over a gap among committed slots: the session was deleted while its owner stood still', async () => {
  const world = await sessionWorld({}, scriptedModel(says('one'), says('two')));
  for (const text of ['a', 'b']) {
    await world.say(text);
    await world.settle();
  }
  await world.say('c');
  world.table.slots.get('acme#s1')?.delete(0);
  expect(await world.step()).toBe('retry');
  expect(world.model.requests).toHaveLength(2);
});

describe('a replay that is announced late', () => {
  const lateReplay = async (definition: Definition = {}, say = (text: string) => says(text)) => {
    const gate = Promise.withResolvers<void>();
    let slow = false;
    const betweenWrites = async () => {
      if (slow) await gate.promise;
    };
    const model = scriptedModel(say('one'), say('two'), say('three'));
    const world = await sessionWorld(definition, model, { betweenWrites });
    await world.say('a', 'e1');
    slow = true;
    const replay = world.say('a', 'e1');
    await promisesSettled();
    slow = false;
    await world.settle();
    for (const [text, id] of [
      ['b', 'e2'],
      ['c', 'e3'],
    ] as const) {
      await world.say(text, id);
      await world.settle();
    }
    return {
      world,
      announce: async () => {
        gate.resolve();
        return replay;
      },
    };
  };

  test('while nothing runs, it wakes the session without need', async () => {
    const { world, announce } = await lateReplay();
    expect(await announce()).toBe('duplicate');
    await world.settle();
    expect(world.model.requests).toHaveLength(3);
    expect((await world.view()).fence.inbox).toEqual([]);
    expect(endings(await world.events())).toHaveLength(3);
  });

  test('while a run completes, it does not cause a model call without new input', async () => {
    const { world, announce } = await lateReplay();
    world.model.answer(async () => {
      await announce();
      return says('four');
    });
    world.model.answer(says('asked with nothing new'));
    await world.say('d', 'e4');
    await world.settle();
    expect(world.model.requests).toHaveLength(4);
  });

  test("while a run completes, the run's result is still its object", async () => {
    const answer = z.object({ n: z.string() });
    const { world, announce } = await lateReplay({ answer }, (n) => says(JSON.stringify({ n })));
    world.model.answer(async () => {
      await announce();
      return says('{"n":"four"}');
    });
    await world.say('d', 'e4');
    await world.settle();
    const told = endings(await world.events()).map(({ object }) => object);
    expect(told).toEqual(['one', 'two', 'three', 'four'].map((n) => ({ n })));
  });

  test('a crash between putting an event and updating the session is repaired by the replay', async () => {
    let crash = true;
    const betweenWrites = async () => {
      if (crash) throw new Error('the sender crashed');
    };
    const world = await sessionWorld({}, scriptedModel(says('ok')), { betweenWrites });
    await expect(world.say('hi', 'e1')).rejects.toThrow('the sender crashed');
    crash = false;
    expect(await world.say('hi', 'e1')).toBe('duplicate');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });
});

describe('marking events done', () => {
  test('a failed mark is made by a later step', async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two'), says('three')));
    for (const [text, id] of [
      ['a', 'e1'],
      ['b', 'e2'],
      ['c', 'e3'],
    ] as const) {
      await world.say(text, id);
      if (id === 'e2') world.faults.at('inbox.markDone', async () => Promise.reject(new Error('throttled')));
      await world.settle();
    }
    const [event] = await world.inbox.read(world.key, ['e1']);
    expect(event).toMatchObject({ done: true });
    expect((await world.view()).fence.consumed).toEqual(['e3']);
  });

  test('a crash before the mark loses nothing: the replay is still recognized', async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two'), says('three')));
    await world.say('a', 'e1');
    await world.settle();
    await world.say('b', 'e2');
    world.faults.at('inbox.markDone', killBefore);
    await world.settle();
    expect(await world.say('a', 'e1')).toBe('duplicate');
    await world.settle();
    expect(world.model.requests.length).toBeLessThanOrEqual(3);
    expect(endings(await world.events())).toHaveLength(2);
  });
});

test('a message that was read before the claim, and incorporated in between, is not taken again', async () => {
  const gate = Promise.withResolvers<void>();
  let slow = false;
  const betweenWrites = async () => {
    if (slow) await gate.promise;
  };
  const model = scriptedModel(says('one'), says('two'), says('three'), says('with nothing new'));
  const world = await sessionWorld({}, model, { betweenWrites });
  await world.say('a', 'e1');
  slow = true;
  const replay = world.say('a', 'e1');
  await promisesSettled();
  slow = false;
  const [own] = world.queue.visible();
  await world.say('b', 'e2');
  const [, other] = world.queue.visible();
  world.faults.at('sessions.claim', async (proceed) => {
    expect(await world.step({ messageId: own })).toBe('ack');
    // A message is known from the commit after its own, for a minute, and until the next one.
    for (const text of ['c', 'd']) {
      await world.say(text);
      await world.settle();
      await world.clock.advance(2 * LATE_MS);
    }
    gate.resolve();
    expect(await replay).toBe('duplicate');
    return proceed();
  });
  await world.step({ messageId: other });
  await world.settle();
  expect(world.model.requests).toHaveLength(3);
});
