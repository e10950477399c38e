import { describe, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import {
  calls,
  changed,
  fails,
  type Scripted,
  says,
  saysAndCalls,
  scriptedModel,
} from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { verifyOrder } from './client-view.fixture.ts';
import { custom, ending, endings, notedTool, ofType, resultsOf, tool } from './reading.fixture.ts';

const chain = {
  name: 'first',
  price: { input: 1, output: 0 },
  fallbacks: [
    {
      provider: 'openai' as const,
      server: 'secondary' as const,
      name: 'second',
      price: { input: 10, output: 0 },
    },
    { name: 'third', maxTokens: 100, request: { temperature: 0 } },
  ],
};
const account: ModelOutcome = {
  kind: 'failed',
  failure: { kind: 'account', code: 'billing_error', message: 'no money' },
};
const soonOver = fails({ rateLimited: true, retryAfterMs: 5_000 });
const fatal: ModelOutcome = { kind: 'failed', failure: { kind: 'fatal', code: 'bad', message: 'wrong' } };
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' };

const worldOf = (...script: Scripted[]) =>
  sessionWorld(
    { model: chain, tools: [tool('get')], limits: { outageSeconds: 0 } },
    scriptedModel(...script),
  );

async function run(...script: Scripted[]) {
  const world = await worldOf(...script);
  await world.say('hi');
  await world.settle();
  const events = await world.events();
  await verifyOrder(events);
  const asked = world.model.requests.map(({ model }) => model);
  return { world, events, asked, switches: custom(events, 'steploop.provider_switch'), end: ending(events) };
}

describe('T14: failing over', () => {
  const completed = { state: 'completed', reason: 'completed', steps: 1 };
  test.each<{ what: string; script: Scripted[]; asked: string[]; end: object }>([
    {
      what: 'an account that cannot pay',
      script: [account, says('ok')],
      asked: ['first', 'second'],
      end: completed,
    },
    {
      what: 'a model whose retries are used up',
      script: [fails(), fails(), fails(), says('ok')],
      asked: ['first', 'first', 'first', 'second'],
      end: completed,
    },
    {
      what: 'a rate limit that lasts',
      script: [fails({ rateLimited: true, retryAfterMs: 3_600_000 }), says('ok')],
      asked: ['first', 'second'],
      end: completed,
    },
    {
      what: 'not a rate limit that ends soon',
      script: [soonOver, says('ok')],
      asked: ['first', 'first'],
      end: completed,
    },
    {
      what: 'with the rate limits of the model before forgotten',
      script: [soonOver, soonOver, soonOver, soonOver, soonOver, says('ok')],
      asked: ['first', 'first', 'first', 'second', 'second', 'second'],
      end: completed,
    },
    {
      what: 'not an invalid request',
      script: [fatal],
      asked: ['first'],
      end: { state: 'error', reason: 'provider_error' },
    },
    {
      what: 'twice',
      script: [account, account, says('ok')],
      asked: ['first', 'second', 'third'],
      end: completed,
    },
    {
      what: 'until there is no other',
      script: [account, account, fails(), fails(), fails()],
      asked: ['first', 'second', 'third', 'third', 'third'],
      end: { state: 'error', reason: 'provider_error', steps: 0 },
    },
  ])('T14: $what', async ({ script, asked, end }) => {
    const ran = await run(...script);
    expect(ran.asked).toEqual(asked);
    expect(ran.end).toMatchObject(end);
    expect(ran.switches).toHaveLength(new Set(asked).size - 1);
  });

  test('T14: without fallbacks a run ends as before', async () => {
    const world = await sessionWorld({}, scriptedModel(account));
    await world.say('hi');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'error', reason: 'provider_error' });
  });

  test('T14: the event names the old model, the new one and the reason, and the next model is called at once', async () => {
    const { switches, world } = await run(account, says('ok'));
    expect(switches).toEqual([
      {
        from: { provider: 'anthropic', server: 'primary', model: 'first' },
        to: { provider: 'openai', server: 'secondary', model: 'second' },
        why: 'billing_error: no money',
      },
    ]);
    expect(world.model.requests[1]).toMatchObject({
      provider: 'openai',
      server: 'secondary',
      model: 'second',
    });
  });

  test('T14: each model is called with its own settings, and the same conversation', async () => {
    const { world } = await run(account, account, says('ok'));
    const [first, , third] = world.model.requests;
    expect(first).not.toHaveProperty('price');
    expect(third).toMatchObject({ model: 'third', maxTokens: 100, request: { temperature: 0 } });
    expect(third?.messages).toEqual(first?.messages);
  });

  test('T14: the price is that of the model that answered, and the slot names it', async () => {
    const { world, events } = await run(account, changed(says('ok'), { model: 'second-2026' }));
    expect(custom(events, 'steploop.usage')).toMatchObject([
      { model: 'second-2026', costUsd: (100 * 10) / 1e6 },
    ]);
    const replies = (await world.slots()).flatMap((slot) =>
      slot.kind === 'model' && slot.reply ? [slot.reply] : [],
    );
    expect(replies).toMatchObject([{ model: 'second-2026', fallback: 1, costUsd: 0.001 }]);
  });

  test('T14: the run stays with the model that answers, and the next run begins with the first', async () => {
    const { world, asked } = await run(account, calls(['get', {}]), says('done'));
    expect(asked).toEqual(['first', 'second', 'second']);
    world.model.answer(says('again'));
    await world.say('more');
    await world.settle();
    expect(world.model.requests.at(-1)?.model).toBe('first');
    expect(endings(await world.events())).toMatchObject([{ success: true }, { success: true }]);
  });

  test('T14: every model has its own retries', async () => {
    const { asked, end } = await run(fails(), fails(), fails(), fails(), fails(), says('ok'));
    expect(asked).toEqual(['first', 'first', 'first', 'second', 'second', 'second']);
    expect(end).toMatchObject({ state: 'completed', steps: 1 });
  });

  test('T14: the names of steps stay unique', async () => {
    const { events } = await run(account, account, calls(['get', {}]), says('ok'));
    const names = ofType(events, 'STEP_STARTED').map(({ stepName }) => stepName);
    expect(new Set(names).size).toBe(names.length);
  });

  test("T14: a model never reads another's thinking, and finds its own as it was", async () => {
    const thinks = (outcome: ModelOutcome): ModelOutcome =>
      outcome.kind === 'failed'
        ? outcome
        : changed(outcome, { content: [thinking, ...outcome.reply.content] });
    const { world } = await run(thinks(saysAndCalls('Look.', ['get', {}])), account, thinks(says('Found.')));
    world.model.answer(thinks(says('Again.')));
    await world.say('more');
    await world.settle();
    const thoughts = world.model.requests.map(({ messages }) =>
      messages.flatMap(({ role, content }) =>
        role === 'assistant' ? [content.some(({ type }) => type === 'thinking')] : [],
      ),
    );
    // first; first, which fails; second; and in the next run the first again.
    expect(thoughts).toEqual([[], [true], [false], [true, false]]);
    const [, before, , after] = world.model.requests;
    expect(JSON.stringify(after?.messages)).toContain(JSON.stringify(before?.messages).slice(0, -1));
  });
});

describe('T14: a crash during failover', () => {
  test('T14: a step that dies after the switch calls the same model again', async () => {
    const world = await worldOf(account, says('lost'), says('kept'));
    await world.say('hi');
    world.faults.at('sessions.putSlot', killBefore, 2);
    await world.settle();
    expect(world.model.requests.map(({ model }) => model)).toEqual(['first', 'second', 'second']);
    // The lost attempt is charged by the price of the called model.
    const { totals } = (await world.view()).session;
    expect(totals.costUsd).toBeCloseTo((totals.input * 10) / 1e6, 12);
  });

  test('T14: a switch that was not committed is decided again', async () => {
    const world = await worldOf(account, account, says('ok'));
    await world.say('hi');
    world.faults.at('sessions.commit', killBefore);
    await world.settle();
    expect(world.model.requests.map(({ model }) => model)).toEqual(['first', 'first', 'second']);
    expect(custom(await world.events(), 'steploop.provider_switch')).toHaveLength(1);
  });

  test('T14: an adopted reply keeps its model and its price', async () => {
    const get = notedTool('get', 'idempotent');
    const world = await sessionWorld(
      { model: chain, tools: [get.tool] },
      scriptedModel(account, calls(['get', {}]), says('ok')),
    );
    await world.say('hi');
    world.faults.at('sessions.putSlot', killAfter, 2);
    await world.settle();
    expect(world.model.requests).toHaveLength(3);
    const replies = (await world.slots()).flatMap((slot) =>
      slot.kind === 'model' && slot.reply ? [slot.reply] : [],
    );
    expect(replies).toMatchObject([
      { fallback: 1, costUsd: 0.001 },
      { fallback: 1, costUsd: 0.001 },
    ]);
  });
});

describe('H12, H19: details of a reply about its calls', () => {
  const cutCalls = (more: object): ModelOutcome =>
    changed(saysAndCalls('Look.', ['get', {}]), { stop: 'max_tokens', ...more });

  test('H12: complete calls of a cut reply run', async () => {
    const get = notedTool('get', 'read');
    const world = await sessionWorld(
      { tools: [get.tool] },
      scriptedModel(cutCalls({ callsComplete: true }), says('ok')),
    );
    await world.say('hi');
    await world.settle();
    expect(get.keys).toHaveLength(1);
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('H12: and run also when the reply is adopted', async () => {
    const get = notedTool('get', 'idempotent');
    const world = await sessionWorld(
      { tools: [get.tool] },
      scriptedModel(cutCalls({ callsComplete: true }), says('ok')),
    );
    await world.say('hi');
    world.faults.at('sessions.putSlot', killAfter);
    await world.settle();
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok' }]);
    expect(world.model.requests).toHaveLength(2);
  });

  test('H19: malformed calls are kept with the reply', async () => {
    const malformed = '<tool_call>{get} (it is not a JSON object)';
    const world = await sessionWorld({}, scriptedModel(says('Look.', { malformed }), says('ok')));
    await world.say('hi');
    await world.settle();
    expect(await world.slots()).toMatchObject([{ reply: { malformed } }, { reply: {} }]);
  });
});
