import { describe, expect, test } from 'vitest';
import { type Scripted, says, stops } from '../../../testing/scripted-model.ts';
import { foldingModel, tooLong } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { foldsOf, get, getting, long, run, small } from './folds.fixture.ts';
import { custom, ending, endings, textsOf } from './reading.fixture.ts';

const completed = { state: 'completed', reason: 'completed' };
const full = { state: 'budget_exceeded', reason: 'context_limit' };

/** A context whose model accepts less than its definition says. */
const believed = (more: object = {}) => small({ window: 12_000, reserve: 1_000, ...more });

describe('a request that the model refuses as too long', () => {
  test('is compacted once, without a summary, and sent once more', async () => {
    const script = [...getting(6), says('Six.')];
    const { model, folds, end, events } = await run(believed(), { window: 6_000 }, ...script);
    expect(end).toEqual({ ...completed, steps: 7 });
    expect(model.refused).toHaveLength(1);
    expect(model.summaries).toEqual([]);
    expect(folds).toMatchObject([{ why: 'refused' }]);
    expect(custom(events, 'steploop.folded')).toMatchObject([{ why: 'refused', costUsd: 0 }]);
    expect(custom(events, 'steploop.retry')).toEqual([]);
  });

  test('if it is refused after that as well, ends the run and says so; the next message compacts deeper, and works', async () => {
    const model = foldingModel({}, ...getting(2), tooLong(9_000, 4_000), tooLong(8_000, 4_000));
    const world = await sessionWorld(believed(), model);
    await world.say('Count what there is.');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([
      { ...full, code: 'context_limit', message: expect.stringContaining('also after it was made smaller') },
    ]);
    expect((await world.view()).session.mustFold).toEqual({ why: 'refused', refusals: 2 });
    model.answer(says('Two.'));
    await world.say('And?');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    const [first, second] = foldsOf(await world.slots());
    expect(second?.tokens.after).toBeLessThanOrEqual(first?.tokens.after ?? 0);
    const { session } = await world.view();
    expect(session.mustFold).toBeUndefined();
    expect(session.fold).not.toHaveProperty('refusals');
  });

  test("if it is always refused, ends each message's run after one more compaction, without a loop", async () => {
    const model = foldingModel({ window: 0 });
    const world = await sessionWorld(believed(), model);
    for (let n = 1; n <= 5; n += 1) {
      await world.say(`Message ${n}.`);
      expect(await world.settle()).toBeLessThanOrEqual(3);
    }
    expect(endings(await world.events())).toMatchObject(Array.from({ length: 5 }, () => full));
    expect(
      (await world.slots())
        .flatMap((slot) => (slot.kind === 'model' ? slot.input : []))
        .filter(({ eventId }) => eventId),
    ).toHaveLength(5);
  });

  test('counts as refused twice also if the context was made smaller for its size in between', async () => {
    const model = foldingModel({}, ...getting(4), tooLong(9_000, 4_000), tooLong(8_000, 4_000));
    const world = await sessionWorld(believed(), model);
    await world.say('Count what there is.');
    for (let n = 1; n <= 6; n += 1) await world.step();
    expect(foldsOf(await world.slots())).toMatchObject([{ why: 'refused' }]);
    expect((await world.view()).session.fold).toMatchObject({ refusals: 1 });
    await world.say(long(38_000));
    await world.settle();
    const folds = foldsOf(await world.slots());
    expect(folds.map(({ why }) => why)).toEqual(['refused', 'size']);
    expect((await world.view()).session.mustFold).toEqual({ why: 'refused', refusals: 2 });
    expect(endings(await world.events())).toMatchObject([full]);
  });

  test('with a message that is larger than the window by itself ends its run, and the next one works', async () => {
    const model = foldingModel({ window: 4_000 }, says('Hello.'));
    const world = await sessionWorld(small(), model);
    await world.say(long(50_000));
    await world.settle();
    expect(ending(await world.events())).toMatchObject(full);
    await world.say('Hi.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    expect(textsOf(model.requests.at(-1), 'user').at(-1)).toBe('Hi.');
  });

  test('with no strategy ends the run at once', async () => {
    const { folds, end, model } = await run(small({ strategy: 'none' }), { window: 4_000 }, ...getting(4));
    expect(end).toMatchObject(full);
    expect(folds).toEqual([]);
    expect(model.refused).toHaveLength(1);
  });

  test('with no strategy does not stop the next message: its model may accept more by then', async () => {
    const model = foldingModel({}, tooLong(9_000, 4_000), says('Hello.'));
    const world = await sessionWorld(small({ strategy: 'none' }), model);
    await world.say('Count what there is.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(full);
    await world.say('Hi.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    expect(foldsOf(await world.slots())).toEqual([]);
  });
});

describe('thinking that is refused', () => {
  const mismatch: Scripted = {
    kind: 'failed',
    failure: {
      kind: 'thinking_mismatch',
      code: 'invalid_request_error',
      message: 'thinking blocks cannot be modified',
    },
  };
  const thinks = (): Scripted => {
    const asked = get(1);
    if (asked.kind === 'failed') throw new Error('no reply');
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    return { ...asked, reply: { ...asked.reply, content: [thought, ...asked.reply.content] } };
  };

  test('is left out, once: everything else is sent again as it was', async () => {
    const { model, folds, end } = await run(small(), {}, thinks(), mismatch, says('One.'));
    expect(end).toEqual({ ...completed, steps: 2 });
    expect(folds).toMatchObject([{ why: 'thinking', start: 0 }]);
    const [, refused, again] = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(refused).toContain('Hm.');
    expect(again).not.toContain('Hm.');
    expect(again).toContain('result 1');
  });

  test('is left out also with no strategy: length is not the reason', async () => {
    const { folds, end } = await run(small({ strategy: 'none' }), {}, thinks(), mismatch, says('One.'));
    expect(end).toEqual({ ...completed, steps: 2 });
    expect(folds).toMatchObject([{ why: 'thinking', start: 0 }]);
  });

  test('a second time in a run is an error of the provider', async () => {
    const { end, folds } = await run(small(), {}, thinks(), mismatch, mismatch);
    expect(end).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(folds).toHaveLength(1);
  });
});

describe('H16: context_exhaustion', () => {
  test('H16: a reply that the end of the window cuts continues after a compaction, and the two are one answer', async () => {
    const script = [...getting(2), stops('context_limit', 'One, '), says('two.')];
    const { end, recoveries, told, model, events } = await run(believed(), {}, ...script);
    expect(recoveries).toEqual(['context_exhaustion']);
    expect(end).toEqual({ ...completed, steps: 4 });
    expect(told).toContain('recovery_context_exhaustion');
    expect(endings(events)).toMatchObject([{ answer: { text: 'One, two.' } }]);
    expect(model.summaries).toHaveLength(0);
  });

  test('H16: once in a run; then it ends, and the next message works', async () => {
    const model = foldingModel(
      {},
      ...getting(2),
      stops('context_limit', 'One, '),
      stops('context_limit', 'two'),
    );
    const world = await sessionWorld(believed(), model);
    await world.say('Count what there is.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(full);
    expect((await world.view()).session.mustFold).toEqual({ why: 'exhausted', refusals: 0 });
    model.answer(says('Three.'));
    await world.say('And?');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
  });

  test('H16: with no strategy there is no recovery', async () => {
    const { end, recoveries } = await run(small({ strategy: 'none' }), {}, stops('context_limit', 'One, '));
    expect(end).toMatchObject(full);
    expect(recoveries).toEqual([]);
  });
});
