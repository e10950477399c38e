import { describe, expect, test } from 'vitest';
import { coalesce } from '../../../shared/agent/events/coalesce.ts';
import { calls, fails, type Scripted, says, stops } from '../../../testing/scripted-model.ts';
import { demandsIn, foldingModel } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { getting, long, run, small } from './folds.fixture.ts';
import { custom, ofType, textsOf } from './reading.fixture.ts';

const completed = { state: 'completed', reason: 'completed' };
const six = [...getting(6), says('Six.')];

describe('a context near its limit', () => {
  test('H14: old results are cleared first, at no cost, if that is enough', async () => {
    const { model, folds, end, events } = await run(small({ keepToolTurns: 1 }), {}, ...six);
    expect(end).toEqual({ ...completed, steps: 7 });
    expect(folds).toMatchObject([{ why: 'size', start: 0 }]);
    expect(model.summaries).toEqual([]);
    expect(custom(events, 'steploop.folded')).toMatchObject([
      { why: 'size', costUsd: 0, left: { messages: 0 } },
    ]);
  });

  test('H14: otherwise a summary is bought, and the run continues with it', async () => {
    const { model, folds, end, events } = await run(small(), {}, ...six);
    expect(model.left()).toBe(0);
    expect(end).toEqual({ ...completed, steps: 7 });
    expect(folds).toMatchObject([{ why: 'size', summary: { text: 'Task: as told.' } }]);
    expect(model.summaries).toHaveLength(1);
    expect(textsOf(model.requests.at(-1), 'user').join()).toContain('Task: as told.');
    const [told] = custom(events, 'steploop.folded');
    expect(told).toMatchObject({ why: 'size', summary: 'Task: as told.', model: 'test-model' });
    expect(told?.tokens.after).toBeLessThan(told?.tokens.before ?? 0);
  });

  test('a compaction is no step of the run: maxSteps does not count it, and totals do', async () => {
    const definition = small({}, { limits: { maxSteps: 7 } });
    const { model, end, world, events } = await run(definition, {}, ...six);
    expect(end).toEqual({ ...completed, steps: 7 });
    const { run: last, totals } = (await world.view()).session;
    expect(last?.steps).toBe(model.requests.length);
    const usages = custom(events, 'steploop.usage');
    expect(usages).toHaveLength(model.requests.length + model.summaries.length);
    expect(totals.input).toBe(usages.reduce((sum, { usage }) => sum + usage.input, 0));
  });

  test('the report of a compaction is marked as one, and has its cost', async () => {
    const { world } = await run(small(), {}, ...six);
    const told = world.meter.steps.filter(({ folded }) => folded);
    expect(told).toMatchObject([{ folded: 'size', step: 5, toolCalls: 0, ending: 'continues' }]);
    expect(told[0]?.usage.input).toBeGreaterThan(6_000);
  });

  test('the request for a summary is the session’s own and one message more, and names what must be kept', async () => {
    const { model } = await run(small(), {}, ...six);
    const [asked] = model.summaries;
    const before = model.requests[4];
    expect(asked).toMatchObject({ system: before?.system, tools: before?.tools, model: before?.model });
    expect(asked?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    const demands = demandsIn(asked ?? ({ messages: [] } as never)) ?? '';
    for (const part of [
      'Task',
      'Open questions',
      'Files touched',
      'Errors not mended',
      'Decisions',
      'Facts',
      'Next',
    ])
      expect(demands).toContain(`\n${part}: `);
    expect(demands).toContain('why');
    expect(demands).toContain('word for word');
  });

  test('T12: after content has left the context the model is told once to continue', async () => {
    const { told } = await run(small(), {}, ...six);
    expect(told.filter((reason) => reason === 'go_on')).toHaveLength(1);
    const silent = await run(small({ recall: false }), {}, ...six);
    expect(silent.told).not.toContain('go_on');
  });

  test('requests between two compactions repeat each other byte for byte, and earlier thinking is left out', async () => {
    const { model } = await run(small(), {}, ...getting(14), says('Fourteen.'));
    const heads = new Set(model.requests.map(({ messages }) => JSON.stringify(messages[0])));
    for (const head of heads) {
      const same = model.requests.filter(({ messages }) => JSON.stringify(messages[0]) === head);
      for (const [i, { messages }] of same.entries())
        expect(messages.slice(0, same[i - 1]?.messages.length ?? 0)).toEqual(same[i - 1]?.messages ?? []);
    }
    expect(heads.size).toBeGreaterThan(2);
  });

  test('progress is reported about every second while a summary is written, and never as a message', async () => {
    const speaks: Scripted = async ({ stream }) => {
      for (let i = 0; i < 30; i += 1) {
        stream('0123456789');
        await world.clock.sleep(100);
      }
      return says('0123456789'.repeat(30));
    };
    const model = foldingModel({ sumUp: speaks }, ...six);
    const world = await sessionWorld(small(), model);
    await world.say('Count.');
    await world.settle();
    const events = await world.events();
    const chars = custom(events, 'steploop.folding').map((told) => told.chars);
    expect(chars).toEqual([0, 110, 210]);
    expect(JSON.stringify(ofType(events, 'TEXT_MESSAGE_CONTENT'))).not.toContain('0123456789');
  });

  test('a summary whose request would be too long covers only what leaves the context', async () => {
    const definition = small({ window: 9_000, reserve: 0, foldAt: 0.9, target: 0.5 });
    const { model, folds, end } = await run(definition, { window: 9_000 }, ...getting(7), says('Seven.'));
    expect(end).toMatchObject(completed);
    expect(model.refused).toEqual([]);
    expect(folds.map(({ summary }) => summary?.text)).toContain('Task: as told.');
    const [asked] = model.summaries;
    expect(JSON.stringify(asked)).toContain('result 1:');
    expect(JSON.stringify(asked)).not.toContain('result 6:');
  });

  test('a summary that fails for lack of money ends the run, and the message that began it is not sent again', async () => {
    const failure = { kind: 'account', code: 'billing_error', message: 'no money' } as const;
    const broke = { kind: 'failed', failure } as const;
    const { model, end, world } = await run(
      small({ keepToolTurns: 1 }),
      { sumUp: broke },
      ...getting(4),
      says('Four.'),
    );
    await world.say(`And now all of this: ${'x'.repeat(20_000)}`);
    await world.settle(20);
    expect(end).toMatchObject(completed);
    const { session } = await world.view();
    expect([session.state, session.reason]).toEqual(['error', 'provider_error']);
    expect(model.summaries).toHaveLength(1);
    expect((await world.view()).fence.inbox).toEqual([]);
  });

  test('another model summarizes, at its own price, and reads no thinking', async () => {
    const thinks = (n: number) => {
      const asked = calls(['get', { n }]);
      if (asked.kind === 'failed') throw new Error('no reply');
      const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
      return { ...asked, reply: { ...asked.reply, content: [thought, ...asked.reply.content] } };
    };
    const summarizer = { name: 'cheap', provider: 'openai', price: { input: 1, output: 2 } };
    const definition = small({}, { model: { name: 'dear', price: { input: 100, output: 200 }, summarizer } });
    const { model, folds } = await run(definition, {}, ...[1, 2, 3, 4, 5, 6].map(thinks), says('Six.'));
    expect(model.summaries).toMatchObject([{ model: 'cheap', provider: 'openai' }]);
    expect(JSON.stringify(model.summaries)).not.toContain('Hm.');
    expect(JSON.stringify(model.requests)).toContain('Hm.');
    const { usage, costUsd } = folds.at(-1)?.summary ?? { usage: { input: 0, output: 0 }, costUsd: -1 };
    expect(costUsd).toBeCloseTo((usage.input + 2 * usage.output) / 1e6, 9);
  });

  test('clients see as much of a long summary as of a result', async () => {
    const value = {
      ...{
        slot: 1,
        why: 'size' as const,
        tokens: { before: 2, after: 1 },
        left: { messages: 1, tokens: 1 },
        costUsd: 0,
      },
      summary: long(40_000),
    } as const;
    const [told] = coalesce([{ type: 'CUSTOM', name: 'steploop.folded', value }]);
    expect(JSON.stringify(told).length).toBeLessThan(8_300);
    expect(JSON.stringify(told)).toContain('32000 more characters');
  });

  test('with no strategy nothing is folded', async () => {
    const { model, folds, end } = await run(small({ strategy: 'none' }), {}, ...six);
    expect(end).toMatchObject(completed);
    expect(folds).toEqual([]);
    expect(model.summaries).toEqual([]);
  });
});

describe('a summary that fails', () => {
  test.each<{ what: string; sumUp: Scripted; asked: number }>([
    { what: 'is refused', sumUp: stops('refusal', ''), asked: 1 },
    { what: 'is empty', sumUp: says(' '), asked: 1 },
    { what: 'is cut off', sumUp: stops('max_tokens', 'Task: co'), asked: 1 },
    { what: 'is too long', sumUp: says(long(2_000)), asked: 1 },
    { what: 'has only calls', sumUp: calls(['get', {}]), asked: 1 },
    {
      what: 'fails for good',
      sumUp: { kind: 'failed', failure: { kind: 'fatal', code: 'x', message: 'no' } },
      asked: 1,
    },
    { what: 'fails again and again', sumUp: fails(), asked: 3 },
  ])('if it $what, a list of the work replaces it, and the run continues', async ({ sumUp, asked }) => {
    const { model, folds, end } = await run(small(), { sumUp }, ...six);
    expect(model.summaries).toHaveLength(asked);
    expect(end).toEqual({ ...completed, steps: 7 });
    expect(folds.at(-1)).not.toHaveProperty('summary');
    expect(textsOf(model.requests.at(-1), 'user').join()).toContain('"get": ');
  });

  test('does not wait for a model that only summarizes, and is away for an hour', async () => {
    const definition = small({}, { model: { name: 'm', summarizer: { name: 'cheap' } } });
    const { model, end, world } = await run(
      definition,
      { sumUp: fails({ retryAfterMs: 3_600_000 }) },
      ...six,
    );
    expect(end).toEqual({ ...completed, steps: 7 });
    expect(model.summaries).toHaveLength(1);
    expect(custom(await world.events(), 'steploop.retry')).toEqual([]);
  });

  test('is still charged', async () => {
    const { world, events } = await run(small(), { sumUp: stops('refusal', '') }, ...six);
    const { totals } = (await world.view()).session;
    const usages = custom(events, 'steploop.usage');
    expect(usages).toHaveLength(8);
    expect(totals.input).toBe(usages.reduce((sum, { usage }) => sum + usage.input, 0));
  });
});
