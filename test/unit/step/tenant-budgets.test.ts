import { describe, expect, test } from 'vitest';
import type { Amount } from '../../../shared/agent/budgets/amount.ts';
import { accountsOf } from '../../../shared/agent/budgets/escrow.ts';
import { shardOf } from '../../../shared/agent/budgets/reserve.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { failAfter, failBefore, killAfter, type Operation } from '../../../testing/faults.ts';
import {
  calls,
  fails,
  type Scripted,
  says,
  scriptedModel,
  talksUntilStopped,
  usage,
} from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, ending, endings, notedTool, ofType, tool } from './reading.fixture.ts';

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const model = { name: 'm', maxTokens: 1_000, price };

async function budgeted(tenantLimits: Partial<Amount>, script: readonly Scripted[], tools = [tool('get')]) {
  const world = await sessionWorld({ model, tools }, scriptedModel(...script), { tenantLimits });
  return world;
}

/** Today's charge of the tenant: granted to the session's shard and not left in it. */
async function charged({ budgetStore, key, clock }: SessionWorld): Promise<Amount> {
  const day = { tenant: key.tenant, day: new Date(clock.now()).toISOString().slice(0, 10) };
  const n = shardOf(key.sessionId);
  const root = await budgetStore.root(day);
  const { left } = await budgetStore.shard(day, n);
  const { total } = accountsOf(root, n).granted;
  return {
    tokens: total.tokens - left.tokens,
    microUsd: total.microUsd - left.microUsd,
    steps: total.steps - left.steps,
  };
}

async function hear(world: SessionWorld, text = 'hi') {
  await world.say(text);
  await world.settle();
  return world.events();
}

describe('budgets of a tenant and day', () => {
  test('without limits nothing is read or written', async () => {
    const world = await budgeted({}, [says('ok')]);
    await hear(world);
    expect(await charged(world)).toEqual({ tokens: 0, microUsd: 0, steps: 0 });
  });

  test('a call is charged: tokens, dollars and one step', async () => {
    const world = await budgeted({ tokens: 10_000, microUsd: 100_000, steps: 5 }, [
      says('ok', { usage: { input: 100, output: 50, cacheRead: 1_000, cacheWrite: 40 } }),
    ]);
    await hear(world);
    expect(await charged(world)).toEqual({ tokens: 150, microUsd: 200 + 500 + 200 + 100, steps: 1 });
  });

  test('T14: a fallback is reserved and charged at its own price', async () => {
    const account: ModelOutcome = {
      kind: 'failed',
      failure: { kind: 'account', code: 'billing_error', message: 'no money' },
    };
    const dearer = { input: 200, output: 1_000 };
    const used = says('ok', { usage: { input: 100, output: 50, cacheRead: 0, cacheWrite: 0 } });
    const over = async (microUsd: number) => {
      const fallbacks = [{ name: 'second', maxTokens: 100, price: dearer }];
      const world = await sessionWorld({ model: { ...model, fallbacks } }, scriptedModel(account, used), {
        tenantLimits: { microUsd },
      });
      const events = await hear(world);
      return {
        state: ending(events)?.state,
        asked: world.model.requests.length,
        spent: await charged(world),
      };
    };
    expect(await over(1_000_000)).toMatchObject({
      state: 'completed',
      asked: 2,
      spent: { microUsd: 100 * 200 + 50 * 1_000 },
    });
    // Enough for the first model's call, and not for the second's: 100 tokens of output alone are $0.10.
    expect(await over(90_000)).toMatchObject({ state: 'budget_exceeded', asked: 1 });
  });

  test.each([
    { limits: { tokens: 1_000 }, code: 'tenant_tokens', exceeded: 'tokens', limit: 1_000 },
    { limits: { microUsd: 10_000 }, code: 'tenant_usd', exceeded: 'usd', limit: 0.01 },
  ])('a call that may pass the limit is not made: $code', async ({ limits, code, exceeded, limit }) => {
    const world = await budgeted(limits, []);
    const events = await hear(world);
    expect(world.model.requests).toEqual([]);
    expect(ending(events)).toEqual({ state: 'budget_exceeded', reason: 'tenant_budget', steps: 0 });
    expect(custom(events, 'steploop.ended')).toMatchObject([
      { code, message: expect.stringContaining('acme') },
    ]);
    const day = new Date(world.clock.now()).toISOString().slice(0, 10);
    expect(custom(events, 'steploop.tenant_budget')).toEqual([{ tenant: 'acme', day, exceeded, limit }]);
    expect(ofType(events, 'RUN_ERROR')).toMatchObject([
      { code: 'tenant_budget', message: expect.stringContaining('acme') },
    ]);
    // The user's message is kept.
    expect(await world.slots()).toMatchObject([{ input: [{ text: 'hi' }] }]);
    expect((await world.view()).fence.inbox).toEqual([]);
  });

  test('the last step of the day runs, the next one does not, and its tools have run', async () => {
    const noted = notedTool('get', 'once');
    const world = await budgeted({ steps: 1 }, [calls(['get', {}])], [noted.tool]);
    const events = await hear(world);
    expect(noted.keys).toHaveLength(1);
    expect(world.model.requests).toHaveLength(1);
    expect(custom(events, 'steploop.ended')).toMatchObject([
      { state: 'budget_exceeded', code: 'tenant_steps' },
    ]);
  });

  test('the next message of the day is refused, the first of the next day is answered', async () => {
    const world = await budgeted({ steps: 1 }, [says('one'), says('two')]);
    await hear(world);
    await hear(world);
    await world.clock.advance(86_400_000);
    const events = await hear(world);
    expect(endings(events).map(({ state }) => state)).toEqual(['completed', 'budget_exceeded', 'completed']);
  });

  test('a session of a tenant with its own limits uses these', async () => {
    const world = await sessionWorld({ model }, scriptedModel(says('one')), {
      tenantLimits: { steps: 100 },
      limitsOfTenants: { acme: { steps: 1 } },
    });
    await hear(world);
    expect(ending(await hear(world))).toMatchObject({ state: 'budget_exceeded' });
  });

  test('calls that fail before the model replies cost nothing', async () => {
    const world = await budgeted({ steps: 2 }, [
      fails(),
      fails({ rateLimited: true }),
      says('ok', usage(10, 5)),
    ]);
    expect(ending(await hear(world))).toMatchObject({ state: 'completed' });
    expect(await charged(world)).toMatchObject({ tokens: 15, steps: 1 });
  });

  test('a stream that breaks, and one that we cut, are charged in full', async () => {
    const broken: Scripted = ({ stream }) => {
      stream('I was abo');
      return fails({ code: 'broken_stream' });
    };
    const world = await budgeted({ tokens: 100_000 }, [broken, says('ok', usage(10, 5))]);
    await hear(world);
    expect((await charged(world)).tokens).toBeGreaterThan(1_000);

    // Its server had reported the input when it broke, before any text.
    const used = {
      kind: 'failed',
      failure: { kind: 'retry', code: 'stream_broken', message: 'broken', rateLimited: false },
      used: usage(50, 1),
    } as const;
    const silent = await budgeted({ tokens: 100_000 }, [used, says('ok', usage(10, 5))]);
    await hear(silent);
    expect((await charged(silent)).tokens).toBeGreaterThan(1_000);

    const cut = await budgeted({ tokens: 100_000 }, [talksUntilStopped('Well'), says('ok', usage(10, 5))]);
    await cut.say('hi');
    await cut.step({ deadlineMs: 20_000 });
    await cut.settle();
    expect((await charged(cut)).tokens).toBeGreaterThan(1_000);
  });

  test.each<{ at: Operation; most: number }>([
    // The reply was bought and lost: charged in full. It was settled and kept: charged at cost, and not bought again.
    { at: 'provider.complete', most: 3_000 },
    { at: 'budgets.reserve', most: 3_000 },
    { at: 'budgets.settle', most: 200 },
    { at: 'sessions.putSlot', most: 100 },
    { at: 'sessions.commit', most: 100 },
  ])('an attempt that dies after $at is charged, and never too little', async ({ at, most }) => {
    const script = [says('one', usage(50, 50)), says('two', usage(50, 50))];
    const world = await budgeted({ tokens: 10_000 }, script);
    world.faults.at(at, killAfter);
    expect(ending(await hear(world))).toMatchObject({ state: 'completed' });
    const { tokens } = await charged(world);
    const bought = world.model.requests.length * 100;
    expect(tokens).toBeGreaterThanOrEqual(bought);
    expect(tokens).toBeLessThanOrEqual(most);
    if (most > 1_000) expect(tokens).toBeGreaterThan(1_000);
  });

  test('an unreachable budget lets no call through, and the message comes back', async () => {
    const world = await budgeted({ tokens: 10_000 }, [says('ok')]);
    await world.say('hi');
    world.faults.at('budgets.reserve', failBefore);
    expect(await world.step()).toBe('retry');
    expect(world.model.requests).toEqual([]);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('a reservation whose answer was lost is made good by the next attempt', async () => {
    const world = await budgeted({ tokens: 10_000 }, [says('ok', usage(50, 50))]);
    world.faults.at('budgets.reserve', failAfter);
    expect(ending(await hear(world))).toMatchObject({ state: 'completed' });
    expect((await charged(world)).tokens).toBeGreaterThan(1_100);
  });

  test('a failed settlement leaves the reservation charged, and the step continues', async () => {
    const world = await budgeted({ tokens: 10_000 }, [says('ok', usage(50, 50))]);
    world.faults.at('budgets.settle', failBefore);
    expect(ending(await hear(world))).toMatchObject({ state: 'completed' });
    expect((await charged(world)).tokens).toBeGreaterThan(1_000);
  });

  test('losses before a refusal are on the session’s account', async () => {
    const world = await budgeted({ steps: 1 }, [says('lost', usage(50, 50))]);
    world.faults.at('provider.complete', killAfter);
    expect(ending(await hear(world, 'x'.repeat(4_000)))).toMatchObject({ state: 'budget_exceeded' });
    expect((await world.view()).session.totals.input).toBeGreaterThan(1_000);
    expect(world.model.requests).toHaveLength(1);
  });
});
