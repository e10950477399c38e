import { expect, test } from 'vitest';
import { type CollectedSpan, startCollector } from '../support/collector.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

const SECRET_WORDS = /of-the-person|of-the-model|of-the-tool|4242424242|test-key/;

/** Two steps: a call, and an answer. */
const twoSteps = () =>
  ruleModel(({ turn }) =>
    turn % 2 === 0 ? callTools(['look', { n: 4_242_424_242 }]) : sayText('Words of-the-model.'),
  );

const to = (endpoint: string, more: object = {}) => ({
  TELEMETRY: JSON.stringify({ endpoint, service: 'test-agents', headers: 'x-key=k%3D1', ...more }),
});

const say = (world: Embedded, id: string, message: string) =>
  world.api('POST', `/sessions/${id}/messages`, { message });

test('the steps of a run are one trace, whichever messages started them, and each run has its own', async () => {
  await using collector = await startCollector();
  await using model = await twoSteps();
  await using world = await embedded({
    model,
    variables: to(collector.url),
    tools: () => 'Words of-the-tool.',
  });
  const id = await world.start('Words of-the-person.');
  expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
  const root = await collector.span('invoke_agent worker');

  const { spans } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(root.parentSpanId).toBeUndefined();
  const named = (name: string) => spans.filter((span) => span.name.startsWith(name));
  const steps = named('step ');
  expect(steps.map(({ name }) => name)).toEqual(['step 1', 'step 2']);
  expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual([root.spanId, root.spanId]);
  const chats = named('chat ');
  expect(chats.map(({ parentSpanId }) => parentSpanId)).toEqual(steps.map(({ spanId }) => spanId));
  const [call, ...others] = named('execute_tool ');
  expect(others).toEqual([]);
  expect(call).toMatchObject({ name: 'execute_tool look', parentSpanId: steps[0]?.spanId });
  for (const span of spans) {
    expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
    expect(span.startMs).toBeGreaterThanOrEqual(root.startMs);
    expect(span.endMs).toBeLessThanOrEqual(root.endMs);
    expect(span.attributes).toMatchObject({
      'service.name': 'test-agents',
      'gen_ai.conversation.id': id,
      'gen_ai.agent.name': 'worker',
      'gen_ai.provider.name': 'anthropic',
      'steploop.tenant': expect.any(String),
    });
  }

  const session = await world.session(id);
  const used = session.totals as Record<string, number>;
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.usage.output_tokens': used.output,
    'steploop.cost.usd': used.costUsd,
    'steploop.state': 'completed',
    'steploop.steps': 2,
    'steploop.tool_calls': 1,
  });
  expect(root.status).toEqual({});
  const sum = (name: string) => chats.reduce((all, chat) => all + Number(chat.attributes[name]), 0);
  expect(sum('gen_ai.usage.output_tokens')).toBe(used.output);
  expect(chats.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([
    ['tool_use'],
    ['end_turn'],
  ]);
  const counted = collector.points.filter(
    ({ metric, attributes }) =>
      metric === 'gen_ai.client.token.usage' && attributes['gen_ai.token.type'] === 'output',
  );
  expect(counted.reduce((all, { sum }) => all + sum, 0)).toBe(used.output);
  expect(collector.points.filter(({ metric }) => metric === 'gen_ai.client.operation.duration')).toHaveLength(
    2,
  );

  // Contents are off by default. Each request carries the headers.
  for (const { headers, body } of collector.requests) {
    expect(headers).toMatchObject({ 'x-key': 'k=1', 'content-type': 'application/json' });
    expect(body).not.toMatch(SECRET_WORDS);
    expect(body).not.toContain(world.token);
  }

  await say(world, id, 'Words of-the-person, again.');
  const again = await waitFor(() => roots(spans).find(({ spanId }) => spanId !== root.spanId));
  expect(again.traceId).not.toBe(root.traceId);
  expect(again.attributes['gen_ai.conversation.id']).toBe(id);
});

test('message contents are exported if they are turned on, but no credentials', async () => {
  await using collector = await startCollector();
  await using model = await twoSteps();
  await using world = await embedded({
    model,
    variables: to(collector.url, { content: 'true' }),
    tools: () => 'Words of-the-tool.',
  });
  const id = await world.start('Words of-the-person.');
  await world.atRest(id);
  await collector.span('invoke_agent worker');
  const chats = collector.spans.filter(({ name }) => name.startsWith('chat '));
  const messages = (side: string) =>
    chats.map(({ attributes }) => String(attributes[`gen_ai.${side}.messages`]));
  expect(messages('input').join()).toContain('Words of-the-person.');
  expect(messages('output').join()).toContain('Words of-the-model.');
  const call = await collector.span('execute_tool look');
  expect(call.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"n":4242424242}',
    'gen_ai.tool.call.result': 'Words of-the-tool.',
  });
  const all = JSON.stringify(collector.requests.map(({ body }) => body));
  expect(all).not.toContain('test-key');
  expect(all).not.toContain(world.token);
});

test('a run that fails says why, and a retried model call is an event of its step', async () => {
  await using collector = await startCollector();
  await using model = await ruleModel(({ n }) =>
    n === 1
      ? async (response) => void response.writeHead(529, { 'retry-after': '0' }).end('{}')
      : async (response) =>
          void response
            .writeHead(401, { 'content-type': 'application/json' })
            .end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'No.' } })),
  );
  await using world = await embedded({ model, variables: to(collector.url) });
  const id = await world.start('Go.');
  const { reason } = await world.atRest(id);
  const root = await collector.span('invoke_agent worker');
  expect(reason).toBe('provider_error');
  expect(root).toMatchObject({
    status: { code: 2, message: expect.any(String) },
    attributes: { 'error.type': 'provider_error', 'steploop.reason': 'provider_error' },
  });
  const retries = collector.spans.flatMap(({ events }) =>
    events.filter(({ name }) => name === 'steploop.retry'),
  );
  expect(retries).toMatchObject([{ attributes: { 'error.type': expect.any(String) } }]);
  const chats = collector.spans.filter(({ name }) => name.startsWith('chat '));
  expect(chats).toHaveLength(2);
  for (const { status } of chats) expect(status.code).toBe(2);
});

test('a collector that never answers costs no run, and is left alone', async () => {
  await using hung = await startCollector(() => 'never');
  await using model = await twoSteps();
  const lines: string[] = [];
  await using world = await embedded({
    model,
    variables: to(hung.url),
    log: (line) => void lines.push(line),
  });
  const ids = await Promise.all([1, 2, 3].map(() => world.start('Go.')));
  for (const id of ids) expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
  // It is called once per signal and environment, and then left alone.
  const environments = new Set(lines.filter((line) => line.includes('telemetry was not exported')));
  expect(environments.size).toBeGreaterThan(0);
  expect(hung.spans).toEqual([]);
});

const roots = (spans: readonly CollectedSpan[]) =>
  spans.filter(({ parentSpanId }) => parentSpanId === undefined);

async function waitFor<T>(look: () => T | undefined, seconds = 30): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing after ${seconds} s`);
}
