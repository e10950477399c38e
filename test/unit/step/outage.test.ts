/** A model server that is away for a while: the run waits for its return, without using compute, and reports until when. */

import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { killBefore } from '../../../testing/faults.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { verifyOrder } from './client-view.fixture.ts';
import { custom, ending, endings, ofType, tool } from './reading.fixture.ts';

type Definition = NonNullable<Parameters<typeof sessionWorld>[0]>;

const overloaded = fails({ code: 'overloaded_error', message: 'The model server answered 529' });
const reset = fails({ code: 'connection_error', message: 'No connection to the model server (ECONNRESET).' });
const limited = fails({ code: 'rate_limit_error', rateLimited: true });

/** A session whose model fails for so long from its first request on, and then answers. */
async function away(seconds: number, how: ModelOutcome, definition: Definition = {}) {
  const model = scriptedModel();
  let since = 0;
  const world: SessionWorld = await sessionWorld(definition, {
    ...model,
    async complete(request, onDelta, signal) {
      since ||= world.clock.now();
      model.answer(world.clock.now() - since < seconds * 1000 ? how : says('Back.'));
      return model.complete(request, onDelta, signal);
    },
  });
  await world.say('hi');
  return { world, model, passed: () => (world.clock.now() - since) / 1000 };
}

const settled = async (world: SessionWorld) => {
  await world.settle();
  const events = await world.events();
  await verifyOrder(events);
  return { events, end: ending(events), retries: custom(events, 'steploop.retry') };
};
const completed = { state: 'completed', reason: 'completed', steps: 1 };
const failed = { state: 'error', reason: 'provider_error', steps: 0 };

describe('an outage of the model server', () => {
  test.each([
    ['529 for 35 s', 35, overloaded],
    ['resets for 11 s', 11, reset],
    ['529 for 10 minutes', 600, overloaded],
    ['resets for 899 s', 899, reset],
    ['rate limits for 10 minutes', 600, limited],
  ])('is outlasted: %s', async (_name, seconds, how) => {
    const { world, passed } = await away(seconds, how);
    const { end, retries } = await settled(world);
    expect(end).toEqual(completed);
    expect(passed()).toBeLessThan(seconds + 70);
    expect(Math.max(...retries.map(({ delayMs }) => delayMs))).toBeLessThanOrEqual(60_000);
  });

  test('that lasts longer than outageSeconds ends the run, at that time', async () => {
    const { world, passed } = await away(5_000, overloaded);
    const { end, events, retries } = await settled(world);
    expect(end).toEqual(failed);
    expect(Math.round(passed())).toBeGreaterThanOrEqual(900);
    expect(passed()).toBeLessThan(905);
    expect(endings(events)[0]?.message).toMatch(/529 \(tried \d+ times in 90\d s\)$/);
    // 1, 2, 4, 8, 16 and 32 s, then 40 s: the mean of a spread from 20 to 60.
    expect(retries.length).toBeLessThan(35);
  });

  test('is reported each time, with the next try and the end of the wait', async () => {
    const { world, model } = await away(20, overloaded);
    const { events, retries } = await settled(world);
    expect(retries).toHaveLength(model.requests.length - 1);
    const [first, second] = retries;
    expect(first).toMatchObject({ code: 'overloaded_error', retry: 1, delayMs: 1_000 });
    const at = (iso = '') => Date.parse(iso);
    expect(at(second?.nextTryAt) - at(first?.nextTryAt)).toBeGreaterThanOrEqual(2_000);
    expect(at(first?.givesUpAt) - at(first?.nextTryAt)).toBe(899_000);
    expect(new Set(retries.map(({ givesUpAt }) => givesUpAt)).size).toBe(1);
    expect(ofType(events, 'RUN_ERROR')).toEqual([]);
  });

  test('uses no invocation while the run waits', async () => {
    const { world } = await away(600, overloaded);
    const steps = await world.settle();
    expect(steps).toBeLessThan(25);
    expect((await world.view()).attempts).toBe(0);
  });

  test('starts over after a good reply', async () => {
    const script = [...Array(12).fill(overloaded), calls(['get', {}]), ...Array(12).fill(reset), says('ok')];
    const world = await sessionWorld({ tools: [tool('get')] }, scriptedModel(...script));
    await world.say('hi');
    const { end, retries } = await settled(world);
    expect(end).toEqual({ ...completed, steps: 2 });
    expect(retries[12]).toMatchObject({ retry: 1, delayMs: 1_000 });
  });

  test('uses up no attempt of a step that keeps dying', async () => {
    const script = [overloaded, ...Array(6).fill(overloaded), says('lost'), says('lost'), says('ok')];
    const world = await sessionWorld({ limits: { maxAttempts: 3 } }, scriptedModel(...script));
    await world.say('hi');
    for (const nth of [2, 3]) world.faults.at('sessions.putSlot', killBefore, nth);
    const { end } = await settled(world);
    expect(end).toEqual(completed);
  });
});

describe('events that end the wait', () => {
  test('a cancel, at once', async () => {
    const { world, passed } = await away(600, overloaded);
    for (let i = 0; i < 8; i++) {
      await world.step();
      await world.clock.advance((world.queue.nextVisibleAt() ?? 0) - world.clock.now());
    }
    await world.step();
    const at = passed();
    await cancel(world.key, world);
    await world.step();
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
    expect(passed() - at).toBeLessThan(2);
  });

  test('the end of the run’s own time', async () => {
    const { world, passed } = await away(600, overloaded, { limits: { timeoutSeconds: 50 } });
    const { end } = await settled(world);
    expect(end).toMatchObject({ state: 'timed_out' });
    expect(passed()).toBeLessThan(52);
  });

  test.each([
    ['a refused account', 'account', 'authentication_error'],
    ['an invalid request', 'fatal', 'invalid_request_error'],
  ] as const)('%s: a failure that a retry cannot fix', async (_name, kind, code) => {
    const gone: ModelOutcome = { kind: 'failed', failure: { kind, code, message: 'no' } };
    const world = await sessionWorld({}, scriptedModel(overloaded, overloaded, gone));
    await world.say('hi');
    expect((await settled(world)).end).toEqual(failed);
  });
});

describe('the agent configures how long an outage is outlasted', () => {
  test('outageSeconds 0: the number of tries decides, and no time is reported', async () => {
    const { world, model } = await away(35, overloaded, { limits: { outageSeconds: 0 } });
    const { end, retries } = await settled(world);
    expect(end).toEqual(failed);
    expect(model.requests).toHaveLength(3);
    expect(retries.map(({ givesUpAt }) => givesUpAt)).toEqual([undefined, undefined]);
  });

  test.each(['aar', 'hamr', 'praisonai', 'praisonai-current', 'attocode'] as const)(
    'A8: %s tries three times',
    async (guardrails) => {
      const { world, model } = await away(35, overloaded, { guardrails });
      expect((await settled(world)).end).toEqual(failed);
      expect(model.requests).toHaveLength(3);
    },
  );

  test('a model with fallbacks is not waited for longer than its tries; the last fallback is', async () => {
    const chain = { name: 'first', fallbacks: [{ name: 'second' }] };
    const { world, model, passed } = await away(120, reset, { model: chain });
    const { end } = await settled(world);
    expect(end).toEqual(completed);
    const asked = model.requests.map((request) => request.model);
    expect(asked.slice(0, 5)).toEqual(['first', 'first', 'first', 'second', 'second']);
    expect(asked.lastIndexOf('first')).toBe(2);
    expect(passed()).toBeGreaterThanOrEqual(120);
  });
});
