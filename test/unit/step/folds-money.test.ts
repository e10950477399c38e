import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../shared/agent/context/estimate.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { killBefore } from '../../../testing/faults.ts';
import { type Scripted, says } from '../../../testing/scripted-model.ts';
import { foldingModel } from '../../support/folding-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { foldsOf, get, getting, long, small } from './folds.fixture.ts';
import { custom, ending, endings } from './reading.fixture.ts';

const account: ModelOutcome = {
  kind: 'failed',
  failure: { kind: 'account', code: 'billing_error', message: 'no money' },
};
const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

/** A conversation that is near its limit when the next message comes. */
async function nearlyFull(sumUp: ModelOutcome, more: Parameters<typeof small>[1] = {}, tenantLimits = {}) {
  const model = foldingModel({ sumUp }, ...getting(4), says('Four.'));
  const world = await sessionWorld(small({}, more), model, { tenantLimits });
  await world.say('Count what there is.');
  await world.settle();
  expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  await world.say(long(6_000));
  return { world, model };
}

describe('the cost of a summary', () => {
  test('without money for it the run ends, with the message that began it; the next one tries again', async () => {
    const { world, model } = await nearlyFull(account);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(model.summaries).toHaveLength(1);
    expect((await world.view()).fence.inbox).toEqual([]);
    expect(foldsOf(await world.slots())).toEqual([]);
  });

  test('a message whose summary failed is in history also if the run is then cancelled: it is not answered later', async () => {
    const busy: ModelOutcome = {
      kind: 'failed',
      failure: { kind: 'retry', code: 'overloaded_error', message: 'busy', rateLimited: false },
    };
    const { world, model } = await nearlyFull(busy);
    const asked = model.requests.length;
    world.faults.at('sessions.commit', async (proceed) => {
      await cancel(world.key, world);
      return proceed();
    });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
    expect((await world.view()).fence.inbox).toEqual([]);
    expect([model.summaries.length, model.requests.length]).toEqual([1, asked]);
  });

  test('a summary that is stopped while it is written is charged for what it has cost', async () => {
    const stops: Scripted = async () => {
      await cancel(world.key, world);
      // The step looks for a cancel every second.
      await world.clock.sleep(5_000);
      return says('Task: as told.');
    };
    const model = foldingModel({ sumUp: stops }, ...getting(4), says('Four.'));
    const world: SessionWorld = await sessionWorld(small(), model);
    await world.say('Count what there is.');
    await world.settle();
    const before = (await world.view()).session.totals;
    await world.say(long(6_000));
    await world.settle();
    expect(endings(await world.events()).at(-1)).toMatchObject({ state: 'cancelled' });
    expect(foldsOf(await world.slots())).toEqual([]);
    const [asked] = model.summaries;
    const { input } = (await world.view()).session.totals;
    expect(input - before.input).toBe(asked && estimateTokens(asked));
    const told = custom(await world.events(), 'steploop.usage').at(-1);
    expect(told?.usage.input).toBe(input - before.input);
  });

  test("a server's retry time is honoured, also if the step does not wait for a summary", async () => {
    const later: ModelOutcome = {
      kind: 'failed',
      failure: {
        kind: 'retry',
        code: 'rate_limit_error',
        message: 'busy',
        rateLimited: true,
        retryAfterMs: 600_000,
      },
    };
    const { world, model } = await nearlyFull(later, { limits: { maxRetries: 1 } });
    const began = world.clock.now();
    model.answer(says('Later.'));
    await world.settle();
    expect(foldsOf(await world.slots())).toMatchObject([{ why: 'size' }]);
    expect(foldsOf(await world.slots())[0]?.summary).toBeUndefined();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(world.clock.now() - began).toBeGreaterThanOrEqual(600_000);
  });

  test('a run over its limit, with one reply left, buys no summary before it', async () => {
    const { guardrails } = small();
    const wrapsUp = { ...(guardrails as object), budget: { onExceeded: 'wrap_up', forceTextAt: 0 } } as const;
    const definition = { ...small({}, { limits: { tokenBudget: 12_500 } }), guardrails: wrapsUp };
    const meanwhile: Scripted = async () => {
      await world.say(long(6_000));
      return get(5);
    };
    const script = [...getting(4), meanwhile, says('That is all.')];
    const model = foldingModel({ sumUp: says('Task: as told.') }, ...script);
    const world = await sessionWorld(definition, model);
    await world.say('Count what there is.');
    await world.settle();
    expect(model.summaries).toHaveLength(0);
    expect(ending(await world.events())).toMatchObject({ state: 'budget_exceeded' });
    expect(foldsOf(await world.slots())).toHaveLength(1);
  });

  test('with a fallback, the fallback folds and continues', async () => {
    const model = foldingModel(
      { sumUp: ({ request }) => (request.model === 'first' ? account : says('Task: as told.')) },
      ...[...getting(6), says('Six.')],
    );
    const world = await sessionWorld(
      small({}, { model: { name: 'first', fallbacks: [{ name: 'second' }] } }),
      model,
    );
    await world.say('Count what there is.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 7 });
    expect(foldsOf(await world.slots())).toMatchObject([{ summary: { text: 'Task: as told.' } }]);
    expect(model.requests.at(-1)?.model).toBe('second');
  });

  test("a summary beyond the tenant's budget is not bought: the run ends as for any call, and nothing is folded", async () => {
    const { world, model } = await nearlyFull(
      says('Task: as told.'),
      { model: { name: 'm', price } },
      { steps: 5 },
    );
    await world.settle();
    expect(endings(await world.events()).at(-1)).toMatchObject({
      reason: 'tenant_budget',
      code: 'tenant_steps',
    });
    expect(custom(await world.events(), 'steploop.tenant_budget')).toHaveLength(1);
    expect(model.summaries).toEqual([]);
    expect(foldsOf(await world.slots())).toEqual([]);
    expect((await world.view()).fence.inbox).toEqual([]);
  });

  test('a request for a summary that would not fit is made over the messages that leave the context only', async () => {
    const model = foldingModel({ window: 8_600 }, ...getting(4), says('Four.'), says('Read.'));
    const world = await sessionWorld(small(), model);
    await world.say('Count what there is.');
    await world.settle();
    await world.say(long(12_000));
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(model.refused).toEqual([]);
    for (const asked of model.summaries)
      expect(estimateTokens(asked) + asked.maxTokens).toBeLessThanOrEqual(9_000);
  });

  test('the requests of a dead attempt are charged also if the next one folds without buying', async () => {
    const model = foldingModel({}, ...getting(4), says('lost'), says('Four.'));
    const world = await sessionWorld(small({ keepToolTurns: 1 }), model);
    await world.say('Count what there is.');
    for (let n = 1; n <= 4; n += 1) await world.step();
    world.faults.at('sessions.putSlot', killBefore);
    expect(await world.step()).toBe('stopped');
    await world.say(long(6_000));
    await world.settle();
    expect(foldsOf(await world.slots())).toMatchObject([{ why: 'size', start: 0 }]);
    expect(model.summaries).toEqual([]);
    const { totals } = (await world.view()).session;
    const told = custom(await world.events(), 'steploop.usage').reduce(
      (sum, { usage }) => sum + usage.input,
      0,
    );
    expect(totals.estimated).toBe(true);
    expect(totals.input).toBeGreaterThan(told + 5_000);
  });

  test('a summary whose worker died is charged for its request, also if the tenant cannot pay for another', async () => {
    const { world, model } = await nearlyFull(
      says('Task: as told.'),
      { model: { name: 'm', price } },
      { steps: 6 },
    );
    const { input } = (await world.view()).session.totals;
    world.faults.at('sessions.putSlot', killBefore);
    expect(await world.step()).toBe('stopped');
    await world.say(long(800));
    await world.settle();
    expect(endings(await world.events()).at(-1)).toMatchObject({ reason: 'tenant_budget' });
    const [asked] = model.summaries;
    expect(model.summaries).toHaveLength(1);
    expect((await world.view()).session.totals.input - input).toBe(asked && estimateTokens(asked));
  });
});
