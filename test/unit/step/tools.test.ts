import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import { calls, says, saysAndCalls, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { answersIn, ending, ofType, resultsOf, tool } from './reading.fixture.ts';

/** A tool that takes a while and records its start and its end. */
function timed(
  name: string,
  effect: 'read' | 'idempotent' | 'once',
  notes: string[],
  of: () => SessionWorld,
  touches?: Tool['touches'],
) {
  return tool(
    name,
    async ({ path }) => {
      const called = path === undefined ? name : `${name} ${path}`;
      notes.push(`${called} starts`);
      await of().clock.sleep(1_000);
      notes.push(`${called} ends`);
      return called;
    },
    { effect, ...(touches && { touches }) },
  );
}

describe('A13: the tool branch', () => {
  test('A13: events come in the order calls, results, and the reply comes before its results in history', async () => {
    const model = scriptedModel(saysAndCalls('Looking.', ['a', {}], ['b', {}]), says('ok'));
    const world = await sessionWorld({ tools: [tool('a'), tool('b')] }, model);
    await world.say('hi');
    await world.settle();
    const types = (await world.events()).map(({ type }) => type).filter((type) => type !== 'CUSTOM');
    expect(types).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      ...['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'],
      ...['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'],
      ...['TOOL_CALL_RESULT', 'TOOL_CALL_RESULT'],
      'STEP_FINISHED',
      'STEP_STARTED',
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect((await world.slots()).map(({ kind }) => kind)).toEqual(['model', 'tools', 'model']);
  });

  test('A13: results are in call order, whichever was ready first', async () => {
    const slow = tool('slow', async () => {
      await world.clock.sleep(5_000);
      return 'slow';
    });
    const model = scriptedModel(calls(['slow', {}], ['fast', {}], ['slow', {}]), says('ok'));
    const world = await sessionWorld({}, model);
    world.deploy({ tools: [slow, tool('fast', () => 'fast')] });
    await world.say('hi');
    await world.settle();
    expect(answersIn(model.requests[1]).map(({ content }) => content)).toEqual(['slow', 'fast', 'slow']);
  });

  test.each([
    {
      effects: ['read', 'read'],
      what: 'reads run at the same time',
      order: ['a starts', 'b starts', 'a ends', 'b ends'],
    },
    {
      effects: ['idempotent', 'idempotent'],
      what: 'others run one after the other',
      order: ['a starts', 'a ends', 'b starts', 'b ends'],
    },
    {
      effects: ['once', 'once'],
      what: 'unsafe ones run one after the other',
      order: ['a starts', 'a ends', 'b starts', 'b ends'],
    },
    {
      effects: ['read', 'once'],
      what: 'a write waits for the reads before it',
      order: ['a starts', 'a ends', 'b starts', 'b ends'],
    },
  ] as const)('A13: $what', async ({ effects: [a, b], order }) => {
    const notes: string[] = [];
    const world = await sessionWorld({}, scriptedModel(calls(['a', {}], ['b', {}]), says('ok')));
    world.deploy({ tools: [timed('a', a, notes, () => world), timed('b', b, notes, () => world)] });
    await world.say('hi');
    await world.settle();
    expect(notes).toEqual(order);
  });

  test('T20: edits of one file run in order, independent calls in parallel, and results are in call order', async () => {
    const notes: string[] = [];
    const on = (name: string, path: string): [string, object] => [name, { path }];
    const model = scriptedModel(
      calls(on('edit', 'a'), on('edit', 'a'), on('edit', 'b'), on('view', 'b'), on('view', 'c')),
      says('ok'),
    );
    const world = await sessionWorld({}, model);
    const itsPath = (input: unknown) => [String(Reflect.get(Object(input), 'path'))];
    world.deploy({
      tools: [
        timed('edit', 'idempotent', notes, () => world, itsPath),
        timed('view', 'read', notes, () => world, itsPath),
      ],
    });
    await world.say('hi');
    await world.settle();
    const both = (...names: string[]) => ['starts', 'ends'].flatMap((at) => names.map((n) => `${n} ${at}`));
    expect(notes).toEqual([...both('edit a', 'edit b', 'view c'), ...both('edit a', 'view b')]);
    const answers = ['edit a', 'edit a', 'edit b', 'view b', 'view c'];
    expect(answersIn(model.requests[1]).map(({ content }) => content)).toEqual(answers);
    // The longest call of each group counts (L7).
    expect((await world.view()).session.run?.activeMs).toBe(2_000);
  });

  test('A2: several changes that start together share one look at HEAD', async () => {
    const model = scriptedModel(calls(['edit', { path: 'a' }], ['edit', { path: 'b' }]), says('ok'));
    const looked: number[] = [];
    const world = await sessionWorld({}, model);
    const edit = tool('edit', () => looked.push(world.faults.count('sessions.watch')), {
      effect: 'idempotent',
      touches: (input) => [String(Reflect.get(Object(input), 'path'))],
    });
    world.deploy({ tools: [edit] });
    await world.say('hi');
    await world.settle();
    expect(looked).toEqual([1, 1]);
  });

  test('A2: none of several that would start together starts after a cancel', async () => {
    const model = scriptedModel(
      calls(['first', {}], ['edit', { path: 'a' }], ['edit', { path: 'b' }]),
      says('ok'),
    );
    let edits = 0;
    const world = await sessionWorld({}, model);
    world.deploy({
      tools: [
        tool('first', () => cancel(world.key, world).then(() => 'first'), { effect: 'idempotent' }),
        tool('edit', () => ++edits, {
          effect: 'idempotent',
          touches: (input) => [String(Reflect.get(Object(input), 'path'))],
        }),
      ],
    });
    await world.say('hi');
    await world.settle();
    expect(edits).toBe(0);
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual([
      'ok',
      'cancelled',
      'cancelled',
    ]);
  });

  test('A13: the run counts its calls', async () => {
    const world = await sessionWorld(
      { tools: [tool('a')] },
      scriptedModel(calls(['a', {}], ['nope', {}]), calls(['a', { n: 2 }]), says('ok')),
    );
    await world.say('hi');
    await world.settle();
    expect((await world.view()).session.run).toMatchObject({ toolCalls: 3, steps: 3 });
  });

  test('T20: calls beyond the limit of one reply are answered and not run', async () => {
    let ran = 0;
    const model = scriptedModel(calls(['a', { n: 1 }], ['a', { n: 2 }], ['a', { n: 3 }]), says('ok'));
    const world = await sessionWorld(
      { tools: [tool('a', () => ++ran)], limits: { maxCallsPerReply: 2 } },
      model,
    );
    await world.say('hi');
    await world.settle();
    expect(ran).toBe(2);
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'refused']);
    expect(answersIn(model.requests[1])).toHaveLength(3);
  });

  test('A13: an error result is marked as one, a good one is not', async () => {
    const model = scriptedModel(calls(['a', {}], ['nope', {}]), says('ok'));
    const world = await sessionWorld({ tools: [tool('a')] }, model);
    await world.say('hi');
    await world.settle();
    expect(answersIn(model.requests[1]).map(({ is_error }) => is_error)).toEqual([undefined, true]);
  });

  test('A13: durations are kept', async () => {
    const world = await sessionWorld({}, scriptedModel(calls(['a', {}]), says('ok')));
    world.deploy({ tools: [timed('a', 'read', [], () => world)] });
    await world.say('hi');
    await world.settle();
    expect(resultsOf(await world.slots())).toMatchObject([{ durationMs: 1_000 }]);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(ofType(await world.events(), 'TOOL_CALL_RESULT')).toHaveLength(1);
  });

  test('invariant 14: two calls of two steps have two keys, also if their server repeats ids', async () => {
    const keys: string[] = [];
    const refund = tool('refund', (_input, { idempotencyKey }) => keys.push(idempotencyKey), {
      effect: 'idempotent',
    });
    const block = (orderId: number) => ({
      type: 'tool_use',
      id: 'call_0',
      name: 'refund',
      input: { orderId },
    });
    const asks = (orderId: number) =>
      says('', { stop: 'tool_use', content: [block(orderId)], calls: [block(orderId)] });
    const model = scriptedModel(asks(1), asks(2), says('ok'));
    const lax = 'the adapters give each call an id of its own, and keys do not rely on it';
    const world = await sessionWorld({ tools: [refund] }, model, { lax });
    await world.say('refund both');
    await world.settle();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });
});
