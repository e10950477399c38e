import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { rehearse, rehearseCrashes } from '../../../testing/rehearse.ts';
import { calls, fails, says, usage } from '../../../testing/scripted-model.ts';
import { waitUntil } from '../../../tools/wait-until.ts';

const order = z.object({ orderId: z.string() });
const lookup = defineTool({
  name: 'lookup_order',
  description: 'Finds one order.',
  effect: 'read',
  input: order,
  settings: ['SHOP'],
  run: async ({ orderId }, { setting }) => {
    await pause(5);
    return { orderId, shop: setting('SHOP') };
  },
});
const refund = defineTool({
  name: 'refund',
  description: 'Refunds one order.',
  effect: 'once',
  input: order,
  secrets: ['PAYMENTS'],
  run: async (_input, { secret }) => `paid back with ${await secret('PAYMENTS')}`,
});
/** A tool that runs elsewhere, from its step or from the queue. */
const exporting = (name: string, where: 'inline' | 'queue') =>
  defineTool({
    name,
    description: 'Exports orders.',
    effect: 'idempotent',
    where,
    input: order,
    run: (_input, { later }) => later(),
  });
const report = defineTool({
  name: 'report',
  description: 'Takes long.',
  effect: 'idempotent',
  where: 'queue',
  input: z.object({}),
  run: () => 'the report',
});
const support = defineAgent({
  name: 'support',
  version: '1',
  model: { name: 'some-model', price: { input: 3, output: 15 } },
  system: 'You help.',
  tools: [lookup, refund, report, askUser],
});
const exporter = defineAgent({
  name: 'exporter',
  version: '1',
  model: { name: 'some-model' },
  system: 'You export.',
  tools: [exporting('export_orders', 'inline'), exporting('export_slowly', 'queue')],
});
const basics = { name: 'boss', version: '1', model: { name: 'some-model' }, system: 'You lead.' };
const settings = { SHOP: 'tidepool' };
const secrets = { PAYMENTS: 'k' };

describe('a rehearsal', () => {
  test('plays a tool that takes real time, and returns transcript, calls, steps and cost', async () => {
    const run = await rehearse(support, {
      user: 'Where is order 7?',
      model: [calls(['lookup_order', { orderId: '7' }]), says('On its way.')],
      settings,
    });
    expect(run).toMatchObject({
      state: 'completed',
      answer: 'On its way.',
      steps: 2,
      left: 0,
      calls: [{ name: 'lookup_order', outcome: 'ok', content: '{"orderId":"7","shop":"tidepool"}' }],
    });
    expect(run.transcript.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(run.totals.costUsd).toBeCloseTo((2 * (100 * 3 + 50 * 15)) / 1e6, 9);
    expect(run.events.at(0)).toMatchObject({ type: 'RUN_STARTED' });
  });

  test('costs what the model costs by the price list, if the agent says no price', async () => {
    const listed = { ...support, model: { ...support.model, name: 'claude-sonnet-4-5', price: undefined } };
    const model = [says('Hi.', usage(1_000_000, 1_000_000))];
    const run = await rehearse(
      { ...listed, limits: { ...listed.limits, costLimitUsd: 100 } },
      { user: 'hi', model },
    );
    expect(run.totals.costUsd).toBeGreaterThan(10);
    expect(run.verdicts).toEqual([]);
  });

  test('returns the sentence about how the run ended, unless it succeeded', async () => {
    const refusal = { kind: 'fatal', code: 'authentication_error', message: 'invalid x-api-key' } as const;
    const run = await rehearse(support, { user: 'hi', model: [{ kind: 'failed', failure: refusal }] });
    expect(run).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(run.message).toContain('invalid x-api-key');
    expect((await rehearse(support, { user: 'hi', model: [says('Hi.')] })).message).toBeUndefined();
  });

  test('replaces tools with fakes, and shows the model their errors', async () => {
    const run = await rehearse(support, {
      user: 'hi',
      model: [calls(['lookup_order', { orderId: '7' }]), says('It is not there.')],
      tools: {
        lookup_order: () => {
          throw new Error('no such order');
        },
      },
    });
    expect(run.calls).toMatchObject([
      { outcome: 'error', content: expect.stringContaining('no such order') },
    ]);
    expect(run.starts).toMatchObject([{ name: 'lookup_order', input: { orderId: '7' } }]);
  });

  test('asks the decider, and waits without one', async () => {
    const wanted = {
      user: 'Refund 7.',
      model: [calls(['refund', { orderId: '7' }]), says('Done.')],
      secrets,
    };
    const waits = await rehearse(support, wanted);
    expect(waits).toMatchObject({ state: 'waiting_for_input', reason: 'awaiting_approval', starts: [] });
    const asked: string[] = [];
    const decided = await rehearse(support, {
      ...wanted,
      decides: ({ message }) => asked.push(message) > 0,
    });
    expect(decided.calls).toMatchObject([{ name: 'refund', content: 'paid back with k' }]);
    expect(asked.join()).toContain('7');
    const refused = await rehearse(support, { ...wanted, decides: () => false });
    expect(refused).toMatchObject({ starts: [], calls: [{ name: 'refund', outcome: 'refused' }] });
  });

  test('answers questions with a text, runs queued calls, and sends later messages', async () => {
    const run = await rehearse(support, {
      user: ['Report!', 'Thanks.'],
      model: [
        calls(['ask_user', { question: 'For whom?' }]),
        calls(['report', {}]),
        says('Here.'),
        says('Welcome.'),
      ],
      decides: ({ kind }) => (kind === 'question' ? 'for Ada' : undefined),
    });
    expect(run).toMatchObject({ answer: 'Welcome.', state: 'completed' });
    expect(run.calls.map(({ name, content }) => [name, content])).toEqual([
      ['ask_user', 'for Ada'],
      ['report', 'the report'],
    ]);
  });

  test('answers calls that are answered later, with a result or an error, and waits without an answer', async () => {
    const wanted = {
      user: 'Export.',
      model: [calls(['export_orders', { orderId: '7' }], ['export_slowly', { orderId: '8' }]), says('Done.')],
    };
    const waits = await rehearse(exporter, wanted);
    expect(waits).toMatchObject({ state: 'waiting_for_tool', reason: 'awaiting_callback', calls: [] });

    const asked: unknown[] = [];
    const run = await rehearse(exporter, {
      ...wanted,
      answersLater({ tool, kind, expiresAt }) {
        asked.push([tool, kind, expiresAt > 0]);
        return tool === 'export_orders' ? { result: { rows: 7 } } : { error: 'the disk is full' };
      },
    });
    expect(run).toMatchObject({ state: 'completed', answer: 'Done.' });
    expect(run.calls.map(({ name, outcome, content }) => [name, outcome, content])).toEqual([
      ['export_orders', 'ok', '{"rows":7}'],
      ['export_slowly', 'error', 'Error [failed]: the disk is full'],
    ]);
    expect(asked).toEqual([
      ['export_orders', 'callback', true],
      ['export_slowly', 'callback', true],
    ]);

    const half = await rehearse(exporter, {
      ...wanted,
      answersLater: ({ tool }) => (tool === 'export_slowly' ? { result: 1 } : undefined),
    });
    expect(half).toMatchObject({ state: 'waiting_for_tool', calls: [] });
  });

  test('skips the waits for a model outage', async () => {
    const run = await rehearse(support, { user: 'hi', model: [fails(), fails(), says('Here I am.')] });
    expect(run.answer).toBe('Here I am.');
    expect(
      run.events.filter((event) => event.type === 'CUSTOM' && event.name === 'steploop.retry'),
    ).toHaveLength(2);
  });

  test.each(['90s', '20m', '6h', '300d'])('skips a rest of %s', async (time) => {
    const sleeper = defineAgent({ ...basics, tools: [waitUntil] });
    const model = [calls(['wait_until', { in: time }]), says('Done.')];
    const run = await rehearse(sleeper, { user: 'Wait.', model });
    expect(run).toMatchObject({ state: 'completed', answer: 'Done.' });
    expect(run.calls).toMatchObject([{ name: 'wait_until', outcome: 'ok' }]);
    expect(run.calls[0]?.content).toContain('The wait is over');
  });

  test('skips the rest of an agent that another one asks', async () => {
    const sleeper = defineAgent({ ...basics, name: 'sleeper', tools: [waitUntil] });
    const asking = defineAgent({ ...basics, agents: { ask: { agent: sleeper, when: 'Wait.' } } });
    const model = [
      calls(['ask', { task: 'Wait.' }]),
      calls(['wait_until', { in: '6h' }]),
      says('I have waited.'),
      says('It has waited.'),
    ];
    const run = await rehearse(asking, { user: 'Go.', model });
    expect(run).toMatchObject({ state: 'completed', answer: 'It has waited.' });
  });

  test('names the call that the script has no answer for', async () => {
    await expect(rehearse(support, { user: 'hi', model: [] })).rejects.toThrow(/unexpected model call 1/);
  });
});

test('calls that are answered later get their answers wherever a worker dies', async () => {
  const played = await rehearseCrashes(exporter, {
    user: 'Export.',
    model: [calls(['export_orders', { orderId: '7' }]), says('Done.')],
    answersLater: () => ({ result: 'rows' }),
  });
  expect(played.length).toBeGreaterThan(20);
  for (const { crash, state, calls: made } of played) {
    const at = `${crash.when} call ${crash.nth}`;
    expect(state, at).toBe('completed');
    expect(
      made.map(({ content }) => content),
      at,
    ).toEqual(['rows']);
  }
});

describe('a rehearsal of crashes', () => {
  const wanted = {
    user: 'Look, then refund 7.',
    model: [calls(['lookup_order', { orderId: '7' }]), calls(['refund', { orderId: '7' }]), says('Done.')],
    tools: { lookup_order: () => ({}) },
    settings,
    secrets,
    decides: () => true,
  };

  test('ends wherever the worker dies, and starts calls that must not start twice once', async () => {
    const played = await rehearseCrashes(support, wanted);
    expect(played.length).toBeGreaterThan(40);
    for (const run of played) {
      const at = `${run.crash.when} call ${run.crash.nth}`;
      expect(run.state, at).toBe('completed');
      const refunds = run.starts.filter(({ name }) => name === 'refund');
      expect(new Set(refunds.map(({ idempotencyKey }) => idempotencyKey)).size, at).toBe(refunds.length);
    }
    // In some the worker died in the middle of the tool, or of a call that may run again.
    const lookups = played.map(({ starts }) => starts.filter(({ name }) => name === 'lookup_order').length);
    expect(Math.max(...lookups)).toBe(2);
    expect(played.some(({ calls: made }) => made.some(({ outcome }) => outcome === 'unknown'))).toBe(true);
  });
});

test("the rehearsal answers a tool's fetch, and stored values are there for the next call", async () => {
  const remember = defineTool({
    name: 'remember',
    description: 'Fetches a page and keeps it.',
    effect: 'idempotent',
    input: z.object({ url: z.string() }),
    async run({ url }, { services }) {
      const before = await services.blobs.get('page');
      await services.blobs.put('page', await (await services.fetch(url)).text());
      return { before: before ?? null };
    },
  });
  const browsing = defineAgent({
    name: 'browser',
    version: '1',
    model: { name: 'm' },
    system: 's',
    tools: [remember],
  });
  const run = await rehearse(browsing, {
    user: 'Read.',
    model: [
      calls(['remember', { url: 'https://a.example/1' }]),
      calls(['remember', { url: 'https://a.example/2' }]),
      calls(['remember', { url: 'http://169.254.169.254/' }]),
      says('Done.'),
    ],
    internet: ({ url }) => new Response(`page ${url.at(-1)}`),
  });
  expect(run.calls.map(({ content }) => content)).toEqual([
    '{"before":null}',
    '{"before":"page 1"}',
    expect.stringContaining('must lead to a public address'),
  ]);
});

test('a function answers every request, and its clock waits for real work', async () => {
  const quick = defineAgent({ ...plain, limits: { timeoutSeconds: 1 } });
  const run = await rehearse(quick, {
    user: ['Hello', 'Again'],
    // A clock that continued meanwhile would have been at the deadline of its step long ago.
    model: async ({ request }) => {
      await pause(50);
      return says(`Answer ${request.messages.length}`);
    },
  });
  expect(run).toMatchObject({ state: 'completed', answer: 'Answer 3', left: 0 });
  const crashes = await rehearseCrashes(quick, { user: 'Hello', model: () => says('Hi') });
  expect(new Set(crashes.map(({ answer }) => answer))).toEqual(new Set(['Hi']));
});

const plain = { name: 'plain', version: '1', model: { name: 'm' }, system: 's' };
