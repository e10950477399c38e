import { describe, expect, test } from 'vitest';
import {
  calls,
  changed,
  fails,
  type Scripted,
  says,
  saysAndCalls,
  scriptedModel,
  usage,
} from '../../../testing/scripted-model.ts';
import { moveContext } from '../../support/move-context.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, endings, notedTool, ofType, tool } from './reading.fixture.ts';
import { type Definition, drive, sameWhenKilled } from './rows.fixture.ts';

const get = tool('get');
const asks = (n: number, input = 100, output = 0) => changed(calls(['get', { n }]), usage(input, output));
const completed = { state: 'completed', reason: 'completed' };
const price = { input: 1, output: 1 };

describe('A10: a dollar limit without a price', () => {
  test('A10: is warned about once in a run', async () => {
    const definition = { tools: [get], limits: { costLimitUsd: 1 }, guardrails: 'aar' as const };
    const { said, end } = await drive(definition, [asks(1), asks(2), says('It is 7.')]);
    expect(said).toEqual(['budget/no_price']);
    expect(end).toMatchObject(completed);
  });

  test('A10: also if only a fallback has none', async () => {
    const model = { name: 'm', price, fallbacks: [{ name: 'n' }] };
    const { said } = await drive({ model, limits: { costLimitUsd: 1 } }, [says('It is 7.')]);
    expect(said).toEqual(['budget/no_price']);
  });

  test('A10: with a price, or without a limit, there is no warning', async () => {
    const model = { name: 'm', price };
    expect((await drive({ model, limits: { costLimitUsd: 1 } }, [says('It is 7.')])).said).toEqual([]);
    expect((await drive({}, [says('It is 7.')])).said).toEqual([]);
  });
});

describe('T3: soft limits and the forced final reply', () => {
  const attocode = (tokenBudget = 1000, more: object = {}): Definition => ({
    tools: [get],
    limits: { tokenBudget, costLimitUsd: 0 },
    guardrails: {
      preset: 'attocode',
      budget: { reserveTokens: 0, ...more },
      nudges: { exploration: { uniqueFiles: 0, calls: 0 } },
    },
  });

  test.each([
    { used: 749, said: [] },
    { used: 750, said: ['budget/soft_limit'] },
  ])('T3: $used of 1000 tokens: $said', async ({ used, said }) => {
    const { said: heard } = await drive(attocode(), [asks(1, used), says('It is 7.', usage(0, 0))]);
    expect(heard).toEqual(said);
  });

  test('T3: the soft limit of dollars warns too, once', async () => {
    const definition: Definition = {
      ...attocode(0),
      model: { name: 'm', price },
      limits: { tokenBudget: 0, costLimitUsd: 0.001 },
    };
    const { said } = await drive(definition, [asks(1, 750), asks(2, 10), says('It is 7.', usage(0, 0))]);
    expect(said).toEqual(['budget/soft_limit']);
  });

  test.each([
    { used: 799, told: [] },
    { used: 800, told: ['force_text'] },
  ])('T3: $used of 1000 tokens: the next step may only reply: $told', async ({ used, told }) => {
    const {
      told: heard,
      end,
      world,
    } = await drive(attocode(), [asks(1, used), says('It is 7.', usage(0, 0))]);
    expect(heard).toEqual(told);
    expect(end).toEqual({ ...completed, steps: 2 });
    // The tools stay in the request: its prefix does not change.
    expect(world.model.requests[1]?.tools).toEqual(world.model.requests[0]?.tools);
  });

  test('T3: calls of a forced final reply are dropped, and leave history', async () => {
    const noted = notedTool('get', 'once');
    const script = [asks(1, 800), changed(saysAndCalls('It is 7.', ['get', { n: 2 }]), usage(10, 0))];
    const { end, slots, events } = await drive({ ...attocode(), tools: [noted.tool] }, script);
    expect(end).toEqual({ ...completed, steps: 2 });
    expect(noted.keys).toHaveLength(1);
    expect(slots.at(-1)).toMatchObject({ reply: { content: [{ type: 'text', text: 'It is 7.' }] } });
    expect(ofType(events, 'TOOL_CALL_START')).toHaveLength(1);
  });

  test('T3: doomloop_only only reports that the limit is passed, once', async () => {
    const definition = attocode(1000, { enforcement: 'doomloop_only', forceTextAt: 0, soft: 0 });
    const { said, end } = await drive(definition, [asks(1, 1000), asks(2, 1000), says('It is 7.')]);
    expect(said).toEqual(['budget/budget_passed', 'budget/near_budget']);
    expect(end).toMatchObject(completed);
  });

  test('T19: at the limit this step’s tools are skipped, the next step only replies, then the run ends', async () => {
    const noted = notedTool('get', 'once');
    const script = [
      asks(1, 1000),
      changed(saysAndCalls('Two of three are done.', ['get', { n: 2 }]), usage(1, 0)),
    ];
    const { end, told, said, events } = await drive(
      { ...attocode(1000, { recover: false }), tools: [noted.tool] },
      script,
    );
    expect(noted.keys).toEqual([]);
    expect(told).toEqual(['token_budget']);
    expect(said).toEqual(['budget/token_budget', 'budget/token_budget']);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 2 });
    expect(custom(events, 'steploop.usage')).toHaveLength(2);
  });

  /** A step without effect, after which T5 can make the context much smaller. */
  const looksAround = () =>
    changed(
      calls(...Array.from({ length: 20 }, (_, i): [string, object] => ['look', { n: i }])),
      usage(0, 0),
    );
  const look = tool('look', () => 'x'.repeat(1_000));

  test.each([
    { used: 1000, what: 'at the limit: granted, its tools run', ran: 1, steps: 4 },
    { used: 1099, what: 'below the raised limit: granted', ran: 1, steps: 4 },
    { used: 1100, what: 'at the raised limit: nothing is granted', ran: 0, steps: 3 },
    { used: 5000, what: 'five times the limit: its tools are skipped', ran: 0, steps: 3 },
  ])('T19, T5: a step that comes to $used of 1000 tokens, $what, and there is a final reply', async (row) => {
    const noted = notedTool('get', 'once');
    const lastWord = changed(saysAndCalls('So far.', ['get', { n: 9 }]), usage(10, 0));
    const granted = row.ran === 1 ? [asks(2, 100)] : [];
    const { end, told, said, slots } = await drive(
      { ...attocode(1000, { forceTextAt: 0, soft: 0 }), tools: [noted.tool, look] },
      [looksAround(), asks(1, row.used), ...granted, lastWord],
    );
    expect(noted.keys).toHaveLength(row.ran);
    expect(told).toEqual(['token_budget']);
    expect(said.includes('budget/budget_recovered')).toBe(row.ran === 1);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: row.steps });
    expect(slots.at(-1)).toMatchObject({ reply: { content: [{ type: 'text', text: 'So far.' }] } });
  });

  test('T19: a step that is five times over in dollars has its final reply too', async () => {
    const definition: Definition = {
      ...attocode(0, { forceTextAt: 0, soft: 0 }),
      model: { name: 'm', price },
      limits: { tokenBudget: 0, costLimitUsd: 0.001 },
    };
    const { end, told } = await drive(definition, [asks(1, 5000), says('So far.', usage(1, 0))]);
    expect(told).toEqual(['cost_limit']);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'cost_limit', steps: 2 });
  });

  test('T19: an answer that is over the budget is the answer; one that is sent back has one final reply', async () => {
    const definition = attocode(1000, { forceTextAt: 0, recover: false });
    expect((await drive(definition, [says('It is 7.', usage(5000, 0))])).end).toEqual({
      ...completed,
      steps: 1,
    });
    const script = [says('', usage(5000, 0)), says('So far.', usage(1, 0))];
    const { told, end } = await drive(definition, script);
    expect(told).toEqual(['empty_response', 'token_budget']);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 2 });
  });

  test('T19: hard limits are exact: nothing runs and there is no final reply', async () => {
    const noted = notedTool('get', 'once');
    const { end } = await drive({ tools: [noted.tool], limits: { tokenBudget: 1000 } }, [asks(1, 5000)]);
    expect(noted.keys).toEqual([]);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 1 });
  });

  test('T19: the usage of every call counts, also of retried ones', async () => {
    const script = [says('', usage(100, 10)), says('', usage(100, 20)), says('It is 7.', usage(100, 30))];
    const { events, world } = await drive(attocode(0), script);
    expect((await world.view()).session.totals).toMatchObject({ input: 300, output: 60 });
    expect(custom(events, 'steploop.usage').map(({ totals }) => totals.output)).toEqual([10, 30, 60]);
  });

  const recovering = () => ({ ...attocode(1000, { forceTextAt: 0, soft: 0 }), tools: [get, look] });

  test('T5: a limit that is reached is raised once, by a tenth, and the context is made smaller before the model call', async () => {
    const script = [looksAround(), asks(1, 1000), asks(2, 99), asks(3, 1), says('So far.', usage(1, 0))];
    const { said, end, events, slots, world } = await drive(recovering(), script);
    expect(said[0]).toBe('budget/budget_recovered');
    expect(said.filter((word) => word === 'budget/budget_recovered')).toHaveLength(1);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 5 });
    const [folded, ...more] = custom(events, 'steploop.folded');
    expect(more).toEqual([]);
    expect(folded?.why).toBe('budget');
    expect(slots.filter((slot) => slot.kind === 'model' && slot.fold)).toMatchObject([
      { fold: { shrunk: true } },
    ]);
    const sizes = world.model.requests.map(({ messages }) => JSON.stringify(messages).length);
    expect(sizes[2] ?? 0).toBeLessThan(0.8 * (sizes[1] ?? 0));
    expect((await world.view()).session.mustFold).toBeUndefined();
  });

  test('T5: a context that cannot be made a fifth smaller gets no raise', async () => {
    const { said, end } = await drive(attocode(1000, { forceTextAt: 0, soft: 0 }), [
      asks(1, 1000),
      says('So far.', usage(1, 0)),
    ]);
    expect(said).not.toContain('budget/budget_recovered');
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 2 });
  });

  test('T5: nor does one with compaction turned off', async () => {
    const definition: Definition = {
      ...recovering(),
      guardrails: {
        preset: 'attocode',
        context: { strategy: 'none' },
        budget: { forceTextAt: 0, soft: 0, reserveTokens: 0 },
      },
    };
    const { said } = await drive(definition, [looksAround(), asks(1, 1000), says('So far.', usage(1, 0))]);
    expect(said).not.toContain('budget/budget_recovered');
  });

  test('T5: usage of broken replies can be granted too', async () => {
    const broken: Scripted = {
      kind: 'failed',
      failure: { kind: 'retry', code: 'stream_broken', message: 'broken', rateLimited: false },
      used: usage(1000, 0),
    };
    const { said, end } = await drive(recovering(), [looksAround(), broken, says('It is 7.', usage(10, 0))]);
    expect(said).toContain('budget/budget_recovered');
    expect(end).toMatchObject(completed);
    const small = await drive(recovering(), [asks(1, 0), broken, says('So far.', usage(1, 0))]);
    expect(small.said).toEqual(['budget/token_budget']);
    expect(small.end).toMatchObject({ reason: 'token_budget' });
  });

  test('T5: deaths in the middle grant once, and fold once', async () => {
    const calm = await sameWhenKilled(() => ({
      definition: recovering(),
      script: [looksAround(), asks(1, 1000), asks(2, 50), says('It is 7.', usage(1, 0))],
    }));
    expect(calm.end).toMatchObject(completed);
    expect(custom(calm.events, 'steploop.folded')).toHaveLength(1);
  });

  test('T5: by default limits are not raised', async () => {
    const { end } = await drive({ tools: [get], limits: { tokenBudget: 1000 } }, [asks(1, 1000)]);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 1 });
  });

  test('A11, T19, T5: deaths in the middle change no counter', async () => {
    await sameWhenKilled(() => ({
      definition: attocode(1000, { forceTextAt: 0 }),
      script: [asks(1, 1000), says('So far.', usage(1, 0))],
    }));
    await sameWhenKilled(() => ({
      definition: attocode(),
      script: [asks(1, 800), changed(saysAndCalls('It is 7.', ['get', { n: 2 }]), usage(10, 0))],
    }));
    // A halted reply is adopted as it was: its calls are gone from history, and are still judged again.
    await sameWhenKilled(() => ({
      definition: {
        tools: [get],
        guardrails: { recovery: { total: 0 }, loop: { stepRepeat: { limit: 1 } } },
      },
      script: [calls(['get', {}]), calls(['get', {}])],
    }));
  });
});

describe('T3: accounting: incremental', () => {
  /** A call with so many input tokens, cached or not, and ten output tokens. */
  const reads = (n: number, all: number, cached = 0) =>
    changed(calls(['get', { n }]), {
      usage: { input: all - cached, output: 10, cacheRead: cached, cacheWrite: 0 },
    });
  const incremental = (tokenBudget: number, more: object = {}): Definition => ({
    tools: [get],
    limits: { tokenBudget, ...more },
    guardrails: { budget: { accounting: 'incremental', forceTextAt: 0, soft: 0, reserveTokens: 0 } },
  });
  const used = ({ events }: { events: Parameters<typeof endings>[0] }) => endings(events).at(-1)?.message;

  test('T3: each token is counted once, when it is new: 1000 + 10, 190 + 10, 290 + 10', async () => {
    const script = [reads(1, 1_000), reads(2, 1_200), reads(3, 1_500)];
    const run = await drive(incremental(1_510), script);
    expect(run.end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 3 });
    expect(used(run)).toBe('1510 of 1510 tokens are used.');
    expect((await drive(incremental(1_511), [...script, says('It is 7.', usage(0, 0))])).end).toMatchObject(
      completed,
    );
    const full = { ...incremental(1_510), guardrails: {} };
    expect((await drive(full, script.slice(0, 2))).end).toMatchObject({ steps: 2 });
  });

  test('T3: tokens that the server had cached were read before, and count no more and no less for it', async () => {
    const script = [reads(1, 1_000, 900), reads(2, 1_200, 1_000), reads(3, 1_500, 1_200)];
    expect(used(await drive(incremental(1_510), script))).toBe('1510 of 1510 tokens are used.');
  });

  test('T3: the totals stay as the server bills them', async () => {
    const { world } = await drive(incremental(1_500), [reads(1, 1_000), reads(2, 1_600)]);
    expect((await world.view()).session.totals).toMatchObject({ input: 2_600, output: 20 });
  });

  test('T3: a run counts its own additions, a session all of them', async () => {
    const two = async (scope: 'run' | 'session') => {
      const world = await sessionWorld(
        incremental(2_000, { scope }),
        scriptedModel(
          says('It is 7.', usage(1_990, 5)),
          says('It is 8.', usage(1_998, 1)),
          says('It is 9.', usage(2_200, 5)),
        ),
      );
      for (const text of ['First?', 'Second?', 'Third?']) {
        await world.say(text);
        await world.settle();
      }
      return endings(await world.events()).map(({ reason }) => reason);
    };
    expect(await two('run')).toEqual(['completed', 'completed', 'completed']);
    expect(await two('session')).toEqual(['completed', 'completed', 'token_budget']);
  });

  test('T3: tokens that a compaction keeps are not counted again, and those since the last reply before it are', async () => {
    const script = [reads(1, 1_000), reads(2, 300), reads(3, 350)];
    const world = await sessionWorld(incremental(1_160), scriptedModel(...script));
    await world.say('Go.');
    await world.step();
    await moveContext(world, 2, { tokens: { before: 1_100, after: 300 } });
    await world.settle();
    // 1010, 90 that the fold has seen beyond them, the reply of the next call, and 40 + 10 that were added to it.
    expect(endings(await world.events()).at(-1)?.message).toBe('1160 of 1160 tokens are used.');
  });

  test('T3: deaths in the middle count nothing twice', async () => {
    await sameWhenKilled(() => ({
      definition: incremental(5_000),
      script: [reads(1, 1_000), reads(2, 1_200), says('It is 7.', usage(1_300, 5))],
    }));
  });
});

describe('T19: calls without a reply', () => {
  const breaks = (input: number, output: number): Scripted => ({
    kind: 'failed',
    failure: { kind: 'retry', code: 'stream_broken', message: 'broken', rateLimited: false },
    used: { ...usage(input, output), estimated: true },
  });

  test('T19: the usage of a broken reply, as the server reports it, is charged once, kept, and reported', async () => {
    const definition: Definition = { model: { name: 'm', price } };
    const { world, events, slots, end } = await drive(definition, [
      breaks(700, 3),
      says('It is 7.', usage(100, 20)),
    ]);
    expect(end).toEqual({ ...completed, steps: 1 });
    const totals = {
      input: 800,
      output: 23,
      cacheRead: 0,
      cacheWrite: 0,
      costUsd: 0.000823,
      estimated: true,
    };
    const { session } = await world.view();
    expect([session.totals, session.run?.totals]).toEqual([totals, totals]);
    expect(slots).toMatchObject([{ lost: { input: 700, output: 3, costUsd: 0.000703 } }, { reply: {} }]);
    expect(custom(events, 'steploop.usage')).toMatchObject([
      { step: 1, model: 'm', usage: { input: 700, output: 3 }, costUsd: 0.000703, totals: { input: 700 } },
      { step: 1, usage: { input: 100, output: 20 }, totals: { input: 800 } },
    ]);
  });

  test('T19: a failure before the server reported usage costs nothing', async () => {
    const { world, slots } = await drive({}, [fails(), says('It is 7.', usage(100, 20))]);
    expect((await world.view()).session.totals).toMatchObject({ input: 100, output: 20 });
    expect(slots[0]).not.toHaveProperty('lost');
  });

  test('T19: a budget that broken replies have used up ends the run, after the final reply if there is one', async () => {
    const limits = { tokenBudget: 1000 };
    const hard = await drive({ limits }, [breaks(1000, 0)]);
    expect(hard.end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 0 });
    const soft: Definition = {
      tools: [get],
      limits,
      guardrails: { budget: { onExceeded: 'wrap_up', forceTextAt: 0 } },
    };
    const script = [asks(1, 10), breaks(1000, 0), says('So far.', usage(1, 0))];
    const { told, end } = await drive(soft, script);
    expect(told).toEqual(['token_budget']);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 2 });
  });

  test('T19: a reply that the deadline cut before anything was complete is charged too', async () => {
    const hangs: Scripted = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return changed(says('', { stop: 'interrupted' }), usage(500, 0));
    };
    const world = await sessionWorld({}, scriptedModel(hangs, says('ok', usage(100, 0))));
    await world.say('hi');
    await world.step({ deadlineMs: 60_000 });
    await world.settle();
    expect((await world.view()).session.totals).toMatchObject({ input: 600 });
  });

  test('T19: deaths in the middle charge nothing twice', async () => {
    await sameWhenKilled(() => ({
      definition: { limits: { tokenBudget: 100_000 } },
      script: [breaks(700, 3), says('It is 7.', usage(100, 20))],
    }));
  });
});

describe('A9: a server that reports no usage', () => {
  const guessed = (n: number) => changed(asks(n, 100, 10), { estimated: true });

  test('A9: is reported once in a session, and totals and steps are marked as estimates', async () => {
    const { world, events, said } = await drive({ tools: [get] }, [guessed(1), guessed(2), says('It is 7.')]);
    expect(said).toEqual(['usage/usage_estimated']);
    expect(
      custom(events, 'steploop.usage').map(({ estimated, totals }) => [estimated, totals.estimated]),
    ).toEqual([
      [true, true],
      [true, true],
      [undefined, true],
    ]);
    expect(endings(events)[0]?.totals).toMatchObject({ input: 300, estimated: true });
    world.model.answer(guessed(3), says('It is 8.'));
    await world.say('And now?');
    await world.settle();
    expect(custom(await world.events(), 'steploop.guard')).toHaveLength(1);
  });

  test('A9: if all usage is reported nothing is marked', async () => {
    const { world, said } = await drive({ tools: [get] }, [asks(1), says('It is 7.')]);
    expect(said).toEqual([]);
    expect((await world.view()).session.totals).not.toHaveProperty('estimated');
  });

  test('A9: a budget counts the estimate, and says so', async () => {
    const { end, events } = await drive({ tools: [get], limits: { tokenBudget: 200 } }, [
      guessed(1),
      guessed(2),
    ]);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 2 });
    expect(endings(events)[0]?.message).toBe('220 of 200 tokens are used, by an estimate.');
  });

  test('A9: an adopted reply stays an estimate', async () => {
    const calm = await sameWhenKilled(() => ({
      definition: { tools: [get] },
      script: [guessed(1), says('It is 7.')],
    }));
    expect(calm.slots[0]).toMatchObject({ reply: { estimated: true } });
  });
});

describe('lost attempts', () => {
  test.each([
    { chargeLostAttempts: true, least: 1_000 },
    { chargeLostAttempts: false, least: 0 },
  ])('A9: charged: $chargeLostAttempts', async ({ chargeLostAttempts, least }) => {
    const world = await sessionWorld(
      { guardrails: { budget: { chargeLostAttempts } } },
      scriptedModel(says('lost', usage(0, 0)), says('kept', usage(0, 0))),
    );
    await world.say('x'.repeat(4_000));
    world.faults.at('sessions.putSlot', async (_proceed, host) => host.kill());
    await world.settle();
    const { input } = (await world.view()).session.totals;
    expect(input >= least && (least > 0 || input === 0)).toBe(true);
  });
});

describe('A8: rate limits are counted separately', () => {
  const delays = async (world: SessionWorld) =>
    custom(await world.events(), 'steploop.retry').map(({ delayMs }) => delayMs);
  const limited = () => fails({ rateLimited: true, code: 'rate_limit_error' });

  test('A8: two of each kind, in any order, are still retried', async () => {
    const script = [limited(), fails(), limited(), fails(), says('It is 7.')];
    const { end, world } = await drive({ guardrails: 'aar' }, script);
    expect(end).toEqual({ ...completed, steps: 1 });
    expect(await delays(world)).toEqual([30_000, 1_000, 60_000, 2_000]);
  });

  test.each([
    { what: 'rate limit', script: [limited(), fails(), limited(), limited()] },
    { what: 'other failure', script: [fails(), limited(), fails(), fails()] },
  ])('A8: the third $what ends the run, with one error', async ({ script }) => {
    const { end, events } = await drive({ guardrails: 'aar' }, script);
    expect(end).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
  });

  test('A8: a good reply resets both counts', async () => {
    const two = () => [limited(), limited(), fails(), fails()];
    const { end } = await drive({ guardrails: 'aar', tools: [get] }, [
      ...two(),
      asks(1),
      ...two(),
      says('It is 7.'),
    ]);
    expect(end).toMatchObject(completed);
  });

  test('U11: waits are configured: base and jitter', async () => {
    const world = await sessionWorld(
      { guardrails: { retry: { baseSeconds: 4, jitter: [0.5, 1] } } },
      scriptedModel(fails(), says('It is 7.')),
    );
    await world.say('Go.');
    await world.settle();
    expect(await delays(world)).toEqual([3_000]);
  });
});
