import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, ending, endings, ofType, tool } from './reading.fixture.ts';

const get = tool('get');
const HOUR = 3_600_000;

describe('A1: pre-flight', () => {
  test('A1: cancel and timeout together end as cancelled, without a model call', async () => {
    const world = await sessionWorld(
      { limits: { timeoutSeconds: 10, maxSteps: 1 } },
      scriptedModel(fails({ retryAfterMs: 60_000 })),
    );
    await world.say('hi');
    await world.step();
    await world.clock.advance(HOUR);
    await cancel(world.key, world);
    await world.settle();

    expect(ending(await world.events())).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
    expect(world.model.requests).toHaveLength(1);
  });

  test('A1: timeout comes before max_steps', async () => {
    const world = await sessionWorld(
      {
        limits: { timeoutSeconds: 10, maxSteps: 1 },
        tools: [tool('slow', async () => void (await world.clock.advance(11_000)))],
      },
      scriptedModel(calls(['slow', {}])),
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'timed_out', reason: 'timed_out' });
  });

  test('A1: a check that fires ends the run with one terminal event', async () => {
    const world = await sessionWorld(
      { limits: { maxSteps: 1 }, tools: [get] },
      scriptedModel(calls(['get', {}])),
    );
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(endings(events)).toHaveLength(1);
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
    expect((await world.view()).dueAt).toBeUndefined();
  });
});

describe('A3: timeout', () => {
  /** A run whose first call fails and is retried `seconds` after the run began. */
  const afterWaiting = async (seconds: number, timeoutSeconds: number) => {
    const world = await sessionWorld({ limits: { timeoutSeconds } }, scriptedModel());
    await world.say('hi');
    const startedAt = world.clock.now();
    world.model.answer(
      async () => fails({ retryAfterMs: startedAt + seconds * 1000 - world.clock.now() }),
      says('ok'),
    );
    await world.step();
    const { dueAt = 0 } = await world.view();
    await world.clock.advance(dueAt - world.clock.now());
    await world.settle();
    return ending(await world.events());
  };

  test.each([
    { seconds: 60, timeoutSeconds: 60, state: 'completed', what: 'exactly the limit is in time' },
    { seconds: 60.001, timeoutSeconds: 60, state: 'timed_out', what: 'a millisecond more is not' },
    { seconds: 600, timeoutSeconds: 0, state: 'completed', what: '0 is off' },
  ])('A3: $what', async ({ seconds, timeoutSeconds, state }) => {
    expect(await afterWaiting(seconds, timeoutSeconds)).toMatchObject({ state });
  });

  test('A3: a run that timed out before its first reply keeps the message that began it', async () => {
    const world = await sessionWorld(
      { limits: { timeoutSeconds: 5 } },
      scriptedModel(fails({ retryAfterMs: 60_000 })),
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'timed_out' });
    expect(await world.slots()).toMatchObject([{ input: [{ text: 'hi' }] }]);
  });
});

describe('T3: the soft limit of time', () => {
  /** Steps that begin so many seconds after each other, the last one with the answer. */
  const steps = async (seconds: number, definition: object, n = 4) => {
    const looking = Array.from({ length: n - 1 }, (_, i) => calls(['get', { n: i }]));
    const world = await sessionWorld(
      { tools: [get], ...definition },
      scriptedModel(...looking, says('It is 7.')),
    );
    await world.say('hi');
    for (let i = 0; i < n; i += 1) {
      await world.step();
      await world.clock.advance(seconds * 1000);
    }
    await world.settle();
    const events = await world.events();
    return { end: ending(events), said: custom(events, 'steploop.guard') };
  };
  const attocode = { guardrails: 'attocode' as const, limits: { costLimitUsd: 0 } };

  test('T3: past 720 of 900 s the run warns, once', async () => {
    const { said, end } = await steps(148, attocode, 7);
    expect(said).toMatchObject([
      { guard: 'timeout', action: 'warn', code: 'time_low', metadata: { limits: { timeoutSeconds: 900 } } },
    ]);
    expect(said[0]?.message).toMatch(/^7[34]\d of the 900 s/);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('T3: not before, not if it is off, and not without a limit', async () => {
    expect((await steps(230, attocode)).said).toEqual([]);
    expect(
      (await steps(250, { limits: { timeoutSeconds: 900 }, guardrails: { time: { soft: 0 } } })).said,
    ).toEqual([]);
    expect((await steps(250, {})).said).toEqual([]);
  });
});

describe('A4: max steps', () => {
  const loops = () =>
    scriptedModel(calls(['get', { n: 1 }]), calls(['get', { n: 2 }]), calls(['get', { n: 3 }]));

  test('A4: exactly max_steps model calls are made', async () => {
    const world = await sessionWorld({ limits: { maxSteps: 3 }, tools: [get] }, loops());
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toEqual({ state: 'max_steps', reason: 'max_steps', steps: 3 });
    expect(world.model.requests).toHaveLength(3);
  });

  test('A4: an allowed last step that ends the turn completes the run', async () => {
    const model = scriptedModel(calls(['get', { n: 1 }]), calls(['get', { n: 2 }]), says('done'));
    const world = await sessionWorld({ limits: { maxSteps: 3 }, tools: [get] }, model);
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toEqual({ state: 'completed', reason: 'completed', steps: 3 });
  });

  test('A4: scope run starts counting afresh with the next message', async () => {
    const world = await sessionWorld({ limits: { maxSteps: 3 }, tools: [get] }, loops());
    await world.say('hi');
    await world.settle();
    world.model.answer(says('now it works'));
    await world.say('go on');
    await world.settle();
    expect(ending(await world.events())).toEqual({ state: 'completed', reason: 'completed', steps: 1 });
  });

  test('A4: scope session continues the count', async () => {
    const world = await sessionWorld({ limits: { maxSteps: 3, scope: 'session' }, tools: [get] }, loops());
    await world.say('hi');
    await world.settle();
    await world.say('go on');
    await world.settle();
    expect(ending(await world.events())).toEqual({ state: 'max_steps', reason: 'max_steps', steps: 0 });
    expect(world.model.requests).toHaveLength(3);
  });
});
