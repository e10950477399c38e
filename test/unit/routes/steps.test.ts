import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { listSteps, readStep } from '../../../functions/routes/steps.ts';
import type { Fold } from '../../../shared/agent/session/fold.ts';
import type { ModelSlot, Slot, StoredReply, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import { storedBatchTiming, storedTiming } from '../../../shared/agent/session/timing.ts';
import { StepBody, StepsBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import type { StepInfo } from '../../../shared/contract/steps.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { aResult, aSlot, claimedSession, commitOf, key } from '../../contract/harness.ts';

const caller: Identity = { tenant: key.tenant, subject: 'user:ada', kind: 'jwt', roles: [] };

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
const aReply = (over: Partial<StoredReply> = {}): StoredReply => ({
  ...{ messageId: 'm0', model: 'claude', stop: 'tool_use', usage, costUsd: 0.01, durationMs: 900 },
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2VjcmV0' },
    { type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'c1', name: 'refund', input: { n: 1 } },
  ],
  ...over,
});
const asked = (n: number, over: Partial<ModelSlot> = {}): ModelSlot => ({
  ...aSlot(n),
  reply: aReply({ messageId: `m${n}` }),
  ...over,
});
const ran = (n: number, over: Partial<ToolsSlot> = {}): ToolsSlot => ({
  ...{ kind: 'tools', n, runId: 'run1', replyTo: `m${n - 1}`, results: [aResult('c1')], verdicts: [] },
  ...over,
});

/** An idle session with these slots; the answers of a route about it. */
async function session(slots: readonly Slot[]) {
  const world = memoryWorld();
  const view = await claimedSession({ ...world, duringNextAccept: () => {} });
  for (const slot of slots) await world.sessions.putSlot(key, view.fence.epoch, slot);
  const totals = { ...view.session.totals, infraUsd: 0.004 };
  const ended = { ...view.session, totals, version: slots.length };
  await world.sessions.commit(commitOf(view, { session: ended }));
  const ask = async (route: Route, query: Record<string, string>, slot?: string) => {
    const pathParameters = { sessionId: key.sessionId, ...(slot !== undefined && { slot }) };
    const event = { pathParameters, queryStringParameters: query };
    const context = { io: world } as unknown as RouteContext;
    const { body } = await route(event as unknown as APIGatewayProxyEventV2, caller, context);
    return JSON.parse(body ?? '');
  };
  return {
    list: async (query: Record<string, string> = {}) => StepsBody.parse(await ask(listSteps, query)),
    read: async (slot: string) => StepBody.parse(await ask(readStep, {}, slot)),
  };
}

/** All steps, page by page: the slots of each. */
async function pages(made: Awaited<ReturnType<typeof session>>, query: Record<string, string>) {
  const found: StepInfo['slots'][][] = [];
  for (let from: string | undefined; ; ) {
    const { steps, next } = await made.list({ ...query, ...(from !== undefined && { from }) });
    found.push(steps.map(({ slots }) => slots));
    if (next === undefined) return found;
    from = next;
  }
}

describe('GET /sessions/{sessionId}/steps', () => {
  test('shows the calls of a step, its deciders, its guard verdicts and its cost', async () => {
    const verdict = { kind: 'nudge', guard: 'counts', code: 'again', text: 'You did that.' } as const;
    const made = await session([
      asked(0, {
        verdicts: [verdict],
        leaves: { c1: { decision: 'ask', rule: 'effect' } },
        lost: { ...usage, costUsd: 0.002, estimated: true },
      }),
      ran(1, { leaves: { c1: { decision: 'allow', rule: 'effect', by: 'user:bob' } } }),
    ]);
    expect((await made.list()).steps).toEqual([
      {
        runId: 'run1',
        step: 1,
        slots: [0, 1],
        kind: 'model',
        model: 'claude',
        stop: 'tool_use',
        usage,
        costUsd: 0.01,
        lost: { ...usage, costUsd: 0.002, estimated: true },
        times: { modelMs: 900, toolsMs: 5 },
        verdicts: [verdict],
        calls: [
          {
            ...{ id: 'c1', name: 'refund', outcome: 'ok', durationMs: 5, rule: 'effect' },
            ...{ decidedBy: 'user:bob', decision: 'approved' },
          },
        ],
        text: 'Looking.',
      },
    ]);
  });

  test('shows a call without a result as open, the messages that a compaction dropped, and no stop for a failed call', async () => {
    const fold: Fold = {
      ...{ start: 3, clearedBelow: 0, tokens: { before: 900, after: 90 } },
      why: 'size',
      left: { messages: 3, tokens: 810 },
      summary: {
        text: 'All is well.',
        messageId: 'f',
        model: 'small',
        usage,
        costUsd: 0.001,
        durationMs: 70,
      },
    };
    const made = await session([aSlot(0), { ...aSlot(1), input: [], fold }, asked(2)]);
    const { steps } = await made.list();
    expect(steps.map(({ kind }) => kind)).toEqual(['model', 'fold', 'model']);
    expect(steps[0]).not.toHaveProperty('stop');
    expect(steps[1]).toMatchObject({
      fold: { why: 'size', tokens: { before: 900, after: 90 } },
      costUsd: 0.001,
      times: { modelMs: 70 },
    });
    expect(steps[2]?.calls).toEqual([{ id: 'c1', name: 'refund', outcome: 'open' }]);
    expect((await made.read('1')).summary).toBe('All is well.');
  });

  test('shows the times of a step in order, and the time of its commit from the next one', async () => {
    const t = Date.UTC(2026, 10, 23);
    const made = await session([
      asked(0, {
        at: storedTiming({
          startedAt: t,
          queueMs: 12,
          claimMs: 8,
          askedMs: 20,
          firstTokenMs: 300,
          infraUsd: 0.001,
        }),
      }),
      ran(1, { at: storedBatchTiming({ startedAt: t + 950, ms: 40 }) }),
      asked(2, {
        at: storedTiming({
          startedAt: t + 1_010,
          queueMs: 5,
          commitMs: 9,
          claimMs: 8,
          askedMs: 10,
          attempt: 2,
          retries: 1,
          infraUsd: 0.0015,
        }),
      }),
      // Its call waited for a person, who took a minute.
      ran(3, {
        at: storedBatchTiming({ startedAt: t + 62_000, ms: 7 }),
        by: storedTiming({ startedAt: t + 61_990, queueMs: 50, claimMs: 6, infraUsd: 0.002 }),
      }),
      asked(4),
      asked(5, { at: storedTiming({ startedAt: t + 70_000, claimMs: 5, infraUsd: 0.003 }) }),
    ]);
    const { steps } = await made.list();
    expect(steps.map(({ times }) => times)).toEqual([
      {
        ...{ queueMs: 12, claimMs: 8, prepareMs: 12, modelMs: 900, firstTokenMs: 300 },
        ...{ toolsMs: 40, commitMs: 9 },
      },
      { queueMs: 5, claimMs: 8, prepareMs: 2, modelMs: 900, waitMs: 60_020, toolsMs: 7 },
      { modelMs: 900 },
      { claimMs: 5, modelMs: 900 },
    ]);
    expect(steps.map(({ startedAt, toolsAt }) => [startedAt, toolsAt])).toEqual([
      ['2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.950Z'],
      ['2026-11-23T00:00:01.010Z', '2026-11-23T00:01:02.000Z'],
      [undefined, undefined],
      ['2026-11-23T00:01:10.000Z', undefined],
    ]);
    expect(steps.map(({ attempt, retries }) => [attempt, retries])).toEqual([
      [1, undefined],
      [2, 1],
      [undefined, undefined],
      [1, undefined],
    ]);
    // For the last step the session has it; for the others the step after it, if that has kept it.
    expect(steps.map(({ infraUsd }) => infraUsd)).toEqual([0.0005, undefined, undefined, 0.001]);
    // A page that ends before it has the same value.
    expect((await made.list({ limit: '1' })).steps).toEqual(steps.slice(0, 1));
    expect((await made.list({ order: 'newest', from: '2' })).steps).toEqual(steps.slice(0, 1));
    expect((await made.read('1')).info).toEqual(steps[0]);
  });

  const many = Array.from({ length: 120 }, (_, i): Slot[] =>
    i % 3 === 0 ? [asked(i)] : i % 3 === 1 ? [ran(i)] : [aSlot(i)],
  ).flat();
  const all = Array.from({ length: 40 }, (_, i) => [[i * 3, i * 3 + 1], [i * 3 + 2]]).flat();

  test.each(['1', '7', '500'])(
    'pages of %s contain each step once, oldest first and newest first',
    async (limit) => {
      const made = await session(many);
      expect((await pages(made, { limit })).flat()).toEqual(all);
      expect((await pages(made, { limit, order: 'newest' })).flat()).toEqual([...all].reverse());
    },
  );

  test('large steps end a page by their bytes', async () => {
    const verdict = { kind: 'nudge', guard: 'g', code: 'c', text: 'x'.repeat(200_000) } as const;
    const made = await session(Array.from({ length: 40 }, (_, n) => ({ ...aSlot(n), verdicts: [verdict] })));
    for (const order of ['oldest', 'newest']) {
      const found = await pages(made, { order });
      expect(found.length).toBeGreaterThan(3);
      expect(found.flat()).toHaveLength(40);
    }
  });

  test.each(['-1', 'x', '1.5'])('refuses to begin at "%s"', async (from) => {
    const made = await session([]);
    await expect(made.list({ from })).rejects.toMatchObject({ problem: { status: 400 } });
    expect(await made.list()).toEqual({ steps: [], costUsd: 0 });
  });
});

describe('GET /sessions/{sessionId}/steps/{slot}', () => {
  test('shows input, reply and results by either slot, without signatures of thinking', async () => {
    const made = await session([
      asked(0, {
        input: [
          { text: 'hi', eventId: 'e1' },
          { text: 'Go on.', internal: { reason: 'again' } },
        ],
      }),
      ran(1, { results: [{ ...aResult('c1', 'done'), blob: 'acme/x', exitCode: 2 }] }),
    ]);
    const step = await made.read('1');
    expect(step).toEqual(await made.read('0'));
    expect(step).toMatchObject({
      input: [
        { text: 'hi', eventId: 'e1' },
        { text: 'Go on.', internal: 'again' },
      ],
      content: [{ thinking: 'Hm.' }, { text: 'Looking.' }, { name: 'refund', input: { n: 1 } }],
      results: [{ callId: 'c1', content: 'done', exitCode: 2, isHead: true }],
    });
    expect(JSON.stringify(step)).not.toMatch(/c2VjcmV0|acme/);
  });

  test('shows the calls that a guard has dropped', async () => {
    const { content } = aReply();
    const made = await session([asked(0, { reply: aReply({ content: [], asReceived: content }) })]);
    const { content: shown, info } = await made.read('0');
    expect(shown).toHaveLength(3);
    expect(info.calls).toEqual([]);
  });

  test('cuts what exceeds a response, and says so', async () => {
    const made = await session([asked(0), ran(1, { results: [aResult('c1', '\u0001'.repeat(900_000))] })]);
    const { results, cut } = await made.read('0');
    expect(cut).toBe(true);
    expect(results[0]?.content).toMatch(/\[cut: the whole has 900000 characters\]$/);
  });

  test.each(['2', 'x', '-1', '99999999999'])('is 404 for "%s"', async (slot) => {
    const made = await session([asked(0), ran(1)]);
    await expect(made.read(slot)).rejects.toMatchObject({ problem: { status: 404, title: 'No such step' } });
  });
});
