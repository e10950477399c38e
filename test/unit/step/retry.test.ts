import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, ending, endings, ofType, textsOf, tool } from './reading.fixture.ts';

const delays = async (world: SessionWorld) =>
  custom(await world.events(), 'steploop.retry').map(({ delayMs }) => delayMs);

/** Outages are not outlasted here: `outage.test.ts` covers that. */
const triesOnly = { limits: { outageSeconds: 0 } };

describe('A8: retries without compute', () => {
  test('A8: two failures and a reply are one step, with waits that double', async () => {
    const model = scriptedModel(fails(), fails(), says('ok'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();
    // The test's random is 0.5: 2^(n-1) seconds times U(0.5, 1.5) is 1 and 2 seconds.
    expect(await delays(world)).toEqual([1_000, 2_000]);
    expect(ending(await world.events())).toEqual({ state: 'completed', reason: 'completed', steps: 1 });
  });

  test.each([
    { jitter: 0.5, waits: [500, 1_000] },
    { jitter: 0.75, waits: [750, 1_500] },
    { jitter: 0.98, waits: [980, 1_960] },
  ])('U11: waits under two seconds are as long as drawn: × $jitter', async ({ jitter, waits }) => {
    const at: number[] = [];
    const model = scriptedModel();
    const world = await sessionWorld({ guardrails: { retry: { jitter: [jitter, jitter] } } }, model);
    const noting = (outcome: ReturnType<typeof says>) => () => {
      at.push(world.clock.now());
      return outcome;
    };
    model.answer(noting(fails()), noting(fails()), noting(says('ok')));
    await world.say('hi');
    await world.settle();
    const waited = at.slice(1).map((ms, i) => ms - (at[i] ?? 0));
    for (const [i, ms] of waited.entries()) {
      expect(ms).toBeGreaterThanOrEqual(waits[i] ?? 0);
      expect(ms).toBeLessThanOrEqual((waits[i] ?? 0) + 100);
    }
    expect(await delays(world)).toEqual(waits);
    expect(world.faults.count('sessions.claim')).toBe(3);
  });

  test('A8: after a worker that dies while it waits for the rest of a second the next one sends the wake', async () => {
    const world = await sessionWorld(
      { guardrails: { retry: { jitter: [0.7, 0.7] } } },
      scriptedModel(fails(), says('ok')),
    );
    await world.say('hi');
    const step = world.begin();
    await world.clock.advance(300);
    expect((await world.view()).dueAt).toBeDefined();
    void step?.host.kill();
    expect(await step?.finish()).toBe('stopped');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 1 });
  });

  test('A8: the wait is a delayed message, and no invocation', async () => {
    const world = await sessionWorld({}, scriptedModel(fails({ retryAfterMs: 120_000 })));
    await world.say('hi');
    expect(await world.step()).toBe('ack');
    const [message, ...others] = world.queue.messages();
    expect(others).toEqual([]);
    const { dueAt = 0 } = await world.view();
    expect(message?.visibleAt).toBeGreaterThanOrEqual(dueAt);
    expect(dueAt - world.clock.now()).toBeGreaterThan(119_000);
    expect(world.queue.visible()).toEqual([]);
  });

  test('A8: a retry sends the same request', async () => {
    const model = scriptedModel(fails(), says('ok'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();
    expect(JSON.stringify(model.requests[1])).toBe(JSON.stringify(model.requests[0]));
  });

  test('A8: after a retry-after beyond the longest message delay the sweeper wakes the session', async () => {
    const world = await sessionWorld(
      {},
      scriptedModel(fails({ rateLimited: true, retryAfterMs: 3_600_000 }), says('ok')),
    );
    await world.say('hi');
    await world.step();
    expect(world.queue.messages()).toEqual([]);
    await world.clock.advance(3_540_000);
    expect(await sweep(world)).toEqual({ woken: 0, all: true });
    await world.clock.advance(120_000);
    expect(await sweep(world)).toEqual({ woken: 1, all: true });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 1 });
  });

  test('A8: a user message does not shorten a long wait, and is answered with it', async () => {
    const model = scriptedModel(fails({ retryAfterMs: 3_600_000 }), says('ok'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.step();
    await world.say('still there?');
    expect(await world.settle()).toBe(1);
    expect(model.requests).toHaveLength(1);
    await world.clock.advance(3_660_000);
    await sweep(world);
    await world.settle();
    expect(textsOf(model.requests[1], 'user')).toEqual(['hi', 'still there?']);
  });

  test.each([
    { n: 1, delay: 30_000 },
    { n: 2, delay: 60_000 },
  ])('A8: rate limit $n without a retry-after waits $delay ms', async ({ n, delay }) => {
    const world = await sessionWorld(
      { guardrails: { retry: { maxSeconds: 0 } } },
      scriptedModel(...Array(n).fill(fails({ rateLimited: true })), says('ok')),
    );
    await world.say('hi');
    await world.settle();
    expect((await delays(world)).at(-1)).toBe(delay);
  });

  test('A8: three failures end the run with one error', async () => {
    const model = scriptedModel(fails(), fails(), fails({ code: 'timeout', message: 'no answer' }));
    const world = await sessionWorld(triesOnly, model);
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(ending(events)).toEqual({ state: 'error', reason: 'provider_error', steps: 0 });
    expect(ofType(events, 'RUN_ERROR')).toMatchObject([
      { code: 'provider_error', message: expect.stringContaining('no answer') },
    ]);
    expect(endings(events)).toHaveLength(1);
  });

  test.each(['account', 'fatal'] as const)('A8: a failure of kind %s is tried once', async (kind) => {
    const failure = { kind, code: 'authentication_error', message: 'bad key' };
    const model = scriptedModel({ kind: 'failed', failure });
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(model.requests).toHaveLength(1);
  });

  test('A8: the message that met a dead provider is kept, and the next one is answered with it', async () => {
    const model = scriptedModel(fails(), fails(), fails(), says('back'));
    const world = await sessionWorld(triesOnly, model);
    await world.say('hi');
    await world.settle();
    await world.say('try again');
    await world.settle();
    expect(textsOf(model.requests[3], 'user')).toEqual(['hi', 'try again']);
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 1 });
  });

  test("A8: the user's text is shown once, however often the call is tried", async () => {
    const world = await sessionWorld({}, scriptedModel(fails(), fails(), says('ok')));
    await world.say('hi');
    await world.settle();
    const started = ofType(await world.events(), 'TEXT_MESSAGE_START');
    expect(started.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  test('A8: failures are counted afresh after a good reply of the same run', async () => {
    const model = scriptedModel(fails(), calls(['get', {}]), fails(), says('ok'));
    const world = await sessionWorld({ limits: { maxRetries: 2 }, tools: [tool('get')] }, model);
    await world.say('hi');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'completed', steps: 2 }]);
    expect(await delays(world)).toEqual([1_000, 1_000]);
  });
});
