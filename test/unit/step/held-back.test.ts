/** Steps that do not call their model, because of a rate limit that other sessions have met (`shared/models/slowed.ts`). */

import { describe, expect, test } from 'vitest';
import { newRun, type Run } from '../../../shared/agent/session/session.ts';
import { counted, triesOf } from '../../../shared/agent/step/model/retry.ts';
import { fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, ending } from './reading.fixture.ts';

const heldBack = (retryAfterMs = 4_000) =>
  fails({ code: 'rate_limit_error', rateLimited: true, retryAfterMs, unasked: true });
const refused = fails({ code: 'rate_limit_error', rateLimited: true, retryAfterMs: 4_000 });
const completed = { state: 'completed', reason: 'completed', steps: 1 };

/** Only the number of tries counts. */
const triesOnly = { limits: { outageSeconds: 0 } };
const times = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one);

describe('A8: a session that is held back', () => {
  test('has not tried: it waits for the sign, and for a random part of an interval that doubles up to a minute', async () => {
    const world = await sessionWorld(triesOnly, scriptedModel(...times(5, heldBack()), says('ok')));
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(ending(events)).toEqual(completed);
    const told = custom(events, 'steploop.retry');
    // The test's random is 0.5.
    expect(told.map(({ delayMs }) => delayMs)).toEqual([9_000, 14_000, 24_000, 34_000, 34_000]);
    for (const { retry, givesUpAt } of told) expect({ retry, givesUpAt }).toEqual({ retry: 0 });
  });

  test('comes back within twice the time that its sign still stood, if that is more', async () => {
    const world = await sessionWorld(triesOnly, scriptedModel(heldBack(60_000), says('ok')));
    await world.say('hi');
    await world.settle();
    expect(custom(await world.events(), 'steploop.retry').map(({ delayMs }) => delayMs)).toEqual([90_000]);
  });

  test('restarts the count of its own refusals', async () => {
    const model = scriptedModel(refused, refused, heldBack(), refused, refused, says('ok'));
    const world = await sessionWorld(triesOnly, model);
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(ending(events)).toEqual(completed);
    expect(custom(events, 'steploop.retry').map(({ retry }) => retry)).toEqual([1, 2, 0, 1, 2]);
  });

  test('still ends by its tries, if it is refused that often without the hold', async () => {
    const model = scriptedModel(heldBack(), refused, refused, refused);
    const world = await sessionWorld(triesOnly, model);
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toEqual({ state: 'error', reason: 'provider_error', steps: 0 });
  });

  test('keeps the tries that failed for another reason', async () => {
    const model = scriptedModel(fails(), fails(), heldBack(), fails());
    const world = await sessionWorld(triesOnly, model);
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toEqual({ state: 'error', reason: 'provider_error', steps: 0 });
  });

  test('for an hour: then each time counts as a rate limit', async () => {
    const world = await sessionWorld(triesOnly, {
      ...scriptedModel(),
      complete: async () => heldBack(60_000),
    });
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(ending(events)).toEqual({ state: 'error', reason: 'provider_error', steps: 0 });
    const told = custom(events, 'steploop.retry').map(({ delayMs }) => delayMs);
    const waited = told.reduce((all, ms) => all + ms, 0);
    expect(waited).toBeGreaterThan(3_600_000);
    expect(waited).toBeLessThan(3_600_000 + 5 * 90_000);
  });

  test('ends when its own time is over', async () => {
    const world = await sessionWorld(
      { limits: { timeoutSeconds: 100 } },
      { ...scriptedModel(), complete: async () => heldBack(30_000) },
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'timed_out' });
  });

  test('does not wait long for its model, if it has another', async () => {
    const model = scriptedModel(heldBack(5_000), heldBack(20_000), says('ok'));
    const fallbacks = [{ name: 'second' }];
    const world = await sessionWorld({ model: { name: 'first', fallbacks } }, model);
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toEqual(completed);
    expect(model.requests.map(({ model }) => model)).toEqual(['first', 'first', 'second']);
  });

  test('has attempted the step: the next owner reads slots that may have been written there since', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok'), heldBack(), heldBack(), says('ok')));
    await world.say('hi');
    await world.settle();
    await world.say('again');
    await world.step();
    expect((await world.view()).session.run).toMatchObject({ retries: 1, unasked: { times: 1 } });
    await world.settle();
    expect((await world.view()).session.run).toMatchObject({ retries: 0, rateLimits: 0 });
    expect((await world.view()).session.run?.unasked).toBeUndefined();
  });
});

describe('state of another version', () => {
  const at = 1_000_000;
  const failure = { kind: 'retry', code: 'c', message: 'm', rateLimited: true } as const;
  const failedAfter = (run: Partial<Run>) => counted({ ...newRun, ...run }, failure, at, false);

  test('that does not know holds: all its tries count', () => {
    expect(triesOf({ ...newRun, retries: 2, rateLimits: 1 })).toBe(2);
    expect(failedAfter({ retries: 2, rateLimits: 2 }).failing.times).toBe(3);
  });

  test('that was left over a reply: it belongs to an earlier step, and is dropped', () => {
    const { counts, failing } = failedAfter({ retries: 0, unasked: { times: 5, since: 1 } });
    expect(failing.times).toBe(1);
    expect(counts.unasked).toBeUndefined();
  });

  test('that was left over a reply and counted since: no more is subtracted than there is', () => {
    const run = { ...newRun, retries: 2, rateLimits: 1, unasked: { times: 5, since: 1 } };
    expect(triesOf(run)).toBe(1);
  });
});
