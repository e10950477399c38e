import { describe, expect, test } from 'vitest';
import { pkOf } from '../../../shared/memory/table.ts';
import { calls, changed, says, saysAndCalls, scriptedModel, usage } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, ending, endings, notedTool, ofType, tool } from './reading.fixture.ts';

const get = tool('get');
const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

describe('A9: usage', () => {
  test('A9: 100 in and 50 out twice are 300 in total', async () => {
    const world = await sessionWorld({ tools: [get] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    await world.settle();
    const { totals, run } = (await world.view()).session;
    expect(totals).toMatchObject({ input: 200, output: 100 });
    expect(run?.totals).toEqual(totals);
    expect(custom(await world.events(), 'steploop.usage').map((value) => value.totals.input)).toEqual([
      100, 200,
    ]);
  });

  test('A9: cached tokens are counted separately', async () => {
    const cached = { usage: { input: 10, output: 5, cacheRead: 1000, cacheWrite: 200 } };
    const world = await sessionWorld({ limits: { tokenBudget: 100 } }, scriptedModel(says('ok', cached)));
    await world.say('hi');
    await world.settle();
    expect((await world.view()).session.totals).toMatchObject({ cacheRead: 1000, cacheWrite: 200 });
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test("A9: a run's totals start afresh, the session's continue", async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two')));
    for (const text of ['a', 'b']) {
      await world.say(text);
      await world.settle();
    }
    const { totals, run } = (await world.view()).session;
    expect(totals).toMatchObject({ input: 200, output: 100 });
    expect(run?.totals).toMatchObject({ input: 100, output: 50 });
  });
});

describe('A10: cost', () => {
  test('A10: every step has its price in dollars', async () => {
    const tokens = { usage: { input: 1000, output: 100, cacheRead: 10_000, cacheWrite: 400 } };
    const model = { name: 'test-model', price };
    const world = await sessionWorld(
      { model, tools: [get] },
      scriptedModel(changed(calls(['get', {}]), tokens), says('ok', tokens)),
    );
    await world.say('hi');
    await world.settle();
    const costs = custom(await world.events(), 'steploop.usage').map(({ costUsd }) => costUsd);
    expect(costs[0]).toBeCloseTo(0.006, 12);
    expect(costs[1]).toBeCloseTo(0.006, 12);
    expect((await world.view()).session.totals.costUsd).toBeCloseTo(0.012, 12);
  });

  test('A10: without a price the cost is 0 and the cost limit never fires', async () => {
    const world = await sessionWorld(
      { limits: { costLimitUsd: 0.000001 } },
      scriptedModel(says('ok', usage(1e6, 1e6))),
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect((await world.view()).session.totals.costUsd).toBe(0);
  });
});

describe('A11: hard budgets', () => {
  const spends = (input: number, output: number) =>
    changed(saysAndCalls('Let me look.', ['once', {}]), usage(input, output));

  test('A11: at the limit the run ends, its text is kept and no tool runs', async () => {
    const once = notedTool('once', 'once');
    const world = await sessionWorld(
      { tools: [once.tool], limits: { tokenBudget: 1000 } },
      scriptedModel(spends(900, 100)),
    );
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(ending(events)).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 1 });
    expect(once.keys).toEqual([]);
    expect((await world.slots()).map((slot) => slot.kind === 'model' && slot.reply?.content)).toEqual([
      [{ type: 'text', text: 'Let me look.' }],
    ]);
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
    expect(ofType(events, 'TOOL_CALL_START')).toEqual([]);
  });

  test('A11: one token below the limit continues', async () => {
    const world = await sessionWorld(
      { tools: [tool('once')], limits: { tokenBudget: 1000 } },
      scriptedModel(spends(899, 100), says('ok', usage(0, 0))),
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('A11: tokens are checked before dollars', async () => {
    const world = await sessionWorld(
      { model: { name: 'm', price }, limits: { tokenBudget: 1000, costLimitUsd: 0.001 } },
      scriptedModel(spends(900, 100)),
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'token_budget' });
  });

  test('A11: at the dollar limit the run ends', async () => {
    const world = await sessionWorld(
      { model: { name: 'm', price }, limits: { costLimitUsd: 0.002 } },
      scriptedModel(spends(1000, 0)),
    );
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toEqual({
      state: 'budget_exceeded',
      reason: 'cost_limit',
      steps: 1,
    });
  });

  test.each(['run', 'session'] as const)(
    'A11: eight calls of $0.10 are $0.80: a %s has no ninth',
    async (scope) => {
      const once = notedTool('once', 'once');
      const eight = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => changed(calls(['once', { n }]), usage(50_000, 0)));
      const world = await sessionWorld(
        { model: { name: 'm', price }, tools: [once.tool], limits: { costLimitUsd: 0.8, scope } },
        scriptedModel(...eight),
      );
      await world.say('hi');
      await world.settle();
      expect(ending(await world.events())).toEqual({
        state: 'budget_exceeded',
        reason: 'cost_limit',
        steps: 8,
      });
      expect(once.keys).toHaveLength(7);
      expect((await world.view()).session.totals.costUsd).toBe(0.8);
      expect(endings(await world.events())[0]?.message).toBe('$0.80 of $0.80 are spent.');
    },
  );

  test('A11: a sum of floats that an earlier version has stored is read as exact money', async () => {
    const limits = { costLimitUsd: 0.8, scope: 'session' as const };
    const world = await sessionWorld({ model: { name: 'm', price }, limits }, scriptedModel());
    await world.say('hi');
    const head = world.table.heads.get(pkOf(world.key));
    if (!head) throw new Error('no head');
    const totals = {
      ...head.session.totals,
      costUsd: Array<number>(8)
        .fill(0.1)
        .reduce((a, b) => a + b, 0),
    };
    world.table.heads.set(pkOf(world.key), { ...head, session: { ...head.session, totals } });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'cost_limit', steps: 0 });
  });

  test('A11: a text reply that reaches the limit is kept too', async () => {
    const world = await sessionWorld({ limits: { tokenBudget: 150 } }, scriptedModel(says('the answer')));
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'token_budget' });
    expect((await world.slots()).at(-1)).toMatchObject({ reply: { content: [{ text: 'the answer' }] } });
  });

  test.each([
    { scope: 'run', states: ['budget_exceeded', 'completed'] },
    { scope: 'session', states: ['budget_exceeded', 'budget_exceeded'] },
  ] as const)('A11: scope $scope', async ({ scope, states }) => {
    const world = await sessionWorld(
      { limits: { tokenBudget: 1000, scope } },
      scriptedModel(spends(1000, 0), says('ok')),
    );
    for (const text of ['a', 'b']) {
      await world.say(text);
      await world.settle();
    }
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(states);
    expect(world.model.requests).toHaveLength(scope === 'run' ? 2 : 1);
  });

  test('A11: a message to a session that has spent its budget is kept', async () => {
    const limits = { tokenBudget: 1000, scope: 'session' as const };
    const world = await sessionWorld({ limits }, scriptedModel(spends(1000, 0)));
    for (const text of ['a', 'b']) {
      await world.say(text);
      await world.settle();
    }
    expect((await world.slots()).at(-1)).toMatchObject({ input: [{ text: 'b' }] });
    expect((await world.view()).fence.inbox).toEqual([]);
  });
});

describe('A16: near the budget', () => {
  test('A16: warns once in a run, and the run continues', async () => {
    const model = scriptedModel(
      ...[1, 2, 3].map((n) => changed(calls(['get', { n }]), usage(100, 0))),
      says('ok', usage(0, 0)),
    );
    const world = await sessionWorld(
      { tools: [get], limits: { tokenBudget: 700 }, guardrails: { budget: { reserveTokens: 500 } } },
      model,
    );
    await world.say('hi');
    await world.settle();
    const warnings = custom(await world.events(), 'steploop.guard').filter(
      ({ code }) => code === 'near_budget',
    );
    expect(warnings).toMatchObject([{ guard: 'budget', action: 'warn' }]);
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 4 });
    expect(JSON.stringify(model.requests)).not.toContain('Near the budget');
  });

  test('A16: warns again in the next run', async () => {
    const limits = { tokenBudget: 700 };
    const world = await sessionWorld(
      { limits },
      scriptedModel(says('one', usage(300, 0)), says('two', usage(300, 0))),
    );
    for (const text of ['a', 'b']) {
      await world.say(text);
      await world.settle();
    }
    const warnings = custom(await world.events(), 'steploop.guard').filter(
      ({ code }) => code === 'near_budget',
    );
    expect(warnings).toHaveLength(2);
  });
});
