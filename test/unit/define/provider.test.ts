import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { lines } from '../../../agents/samples/provider.ts';
import {
  defineAgent,
  defineDeployment,
  defineProvider,
  type Protocol,
} from '../../../shared/agent/define/index.ts';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import { ids } from '../../../shared/aws/ports.ts';
import { memoryPorts } from '../../../shared/memory/ports.ts';
import { modelProvider } from '../../../shared/models/models.ts';
import { wallClock } from '../../../shared/wall-clock.ts';
import { KEY, modelRequest } from '../../support/model-call.ts';
import { clientView, verifyOrder } from '../step/client-view.fixture.ts';
import { custom, ending, notedTool } from '../step/reading.fixture.ts';

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server of the invented API. Each request takes the next answer: a status, and the content of its body. */
async function lineServer(...answers: readonly (readonly [status: number, body: string])[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [status, body] = answers[asked.length] ?? [500, ''];
    asked.push({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const sends = (...events: readonly object[]): [number, string] => [
  200,
  events.map((event) => `${JSON.stringify(event)}\n`).join(''),
];

/** A deployment whose one agent uses `own` at `url`, and the model as its step function would have it. */
function deployed(url: string, tools: Parameters<typeof defineAgent>[0]['tools'] = [], own = lines) {
  const deployment = defineDeployment({
    agents: [
      defineAgent({
        name: 'clock',
        version: '1',
        model: { provider: 'lines', server: 'harbour', name: 'tide-1', price: { input: 1, output: 2 } },
        system: 'You are a clock.',
        tools,
      }),
    ],
    models: { harbour: { baseUrl: url, auth: 'x-api-key', secret: 'HARBOUR_KEY' } },
    secrets: { HARBOUR_KEY: { description: 'Key of the harbour.' } },
    providers: { lines: own },
  });
  const servers = Object.entries(deployment.models).map(([name, server]) => [
    name,
    { ...server, key: async () => KEY },
  ]);
  return { deployment, provider: modelProvider(Object.fromEntries(servers), deployment.providers) };
}

const request = (different: Partial<ModelRequest> = {}) =>
  modelRequest({ provider: 'lines', server: 'harbour', model: 'tide-1', ...different });
const ask = (url: string, own = lines): Promise<ModelOutcome> =>
  deployed(url, [], own).provider.complete(request(), () => {}, AbortSignal.timeout(10_000));

describe('a custom provider of a project', () => {
  test('runs steps: a tool is called, its result is sent back, and the answer is streamed and paid for', async () => {
    const tokens = { in: 80, out: 20 };
    await using server = await lineServer(
      sends(
        { say: 'Let me ' },
        { say: 'look.' },
        { call: { id: 'c1', name: 'look', input: { city: 'Lisbon' } } },
        { tokens },
        { end: 'calls' },
      ),
      sends({ say: 'Half past nine.' }, { tokens }, { end: 'done' }),
    );
    const look = notedTool('look', 'once', () => 'half past nine');
    const { deployment, provider } = deployed(server.url, [look.tool]);
    const [agent] = deployment.agents;
    if (!agent) throw new Error('there is no agent');
    const io = memoryPorts({ clock: wallClock, ids, provider });
    const key = { tenant: 'acme', sessionId: 's1' };
    await openSession(key, agent, async () => undefined, io);
    await accept(key, { eventId: 'e1', text: 'What time is it?' }, io);
    for (let delivery = io.queue.receive(); delivery; delivery = io.queue.receive()) {
      const invocation = { id: ids.next(), message: delivery.handle, deadlineAt: wallClock.now() + 300_000 };
      expect(await runStep(delivery.wake, invocation, { agentOf: () => agent, leaseMs: 60_000 }, io)).toBe(
        'ack',
      );
      io.queue.delete(delivery.handle);
    }
    const events = ((await catchUp(key, 0, 100_000, io)) ?? []).map(({ event }) => event);
    await verifyOrder(events);
    expect(ending(events)).toEqual({ state: 'completed', reason: 'completed', steps: 2 });
    expect(look.keys).toHaveLength(1);
    expect(clientView(events).at(-1)).toMatchObject({ content: 'Half past nine.' });
    expect(custom(events, 'steploop.usage')).toMatchObject([
      { usage: { input: 80, output: 20 }, costUsd: 120 / 1e6 },
      { costUsd: 120 / 1e6 },
    ]);
    expect(
      server.asked.map(({ path, headers }) => [path, headers['x-api-key'], headers.authorization]),
    ).toEqual([
      ['/converse', KEY, undefined],
      ['/converse', KEY, undefined],
    ]);
    const sent = JSON.stringify(server.asked[1]?.body.messages);
    expect(sent).toContain('tool_result');
    expect(sent).toContain('half past nine');
  });

  test('reads the messages, which it shares with other requests, and cannot write to them', async () => {
    await using server = await lineServer(sends({ say: 'Nine.' }, { end: 'done' }));
    const meddling = defineProvider({
      protocol(address, kit) {
        const protocol = lines.protocol(address, kit);
        return {
          ...protocol,
          send(asked, key, signal) {
            for (const { content } of asked.messages)
              for (const block of content) Object.assign(block, { mine: 1 });
            return protocol.send(asked, key, signal);
          },
        };
      },
    });
    const { provider } = deployed(server.url, [], meddling);
    const asked = request();
    const outcome = await provider.complete(asked, () => {}, AbortSignal.timeout(10_000));
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(asked.messages).toEqual(request().messages);
  });

  test.each<[string, readonly [number, string], object]>([
    ['that is overloaded', [429, '{"trouble":"busy"}'], { kind: 'retry', code: 'busy', rateLimited: true }],
    ['that is broken', [503, 'no'], { kind: 'retry', code: 'http_503' }],
    ['that requires payment', [400, '{"trouble":"unpaid"}'], { kind: 'account', code: 'unpaid' }],
    ['that refuses the request', [400, '{"trouble":"wrong"}'], { kind: 'fatal', code: 'wrong' }],
    ['that ends in the middle', sends({ say: 'Half' }), { kind: 'retry', code: 'stream_broken' }],
    ['that is another kind of server', [200, '<html>\n'], { kind: 'retry', code: 'malformed_reply' }],
    [
      'that fails in the middle',
      sends({ say: 'Half' }, { trouble: 'busy' }),
      { kind: 'retry', code: 'busy' },
    ],
  ])('classifies the answer of a server %s as the built-in ones do', async (_what, answer, failure) => {
    await using server = await lineServer(answer);
    expect(await ask(server.url)).toMatchObject({ kind: 'failed', failure });
  });

  test('reports an unreachable server, and shows no key', async () => {
    const outcome = await ask('http://127.0.0.1:9/');
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'retry', code: 'connection_error' } });
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });

  test('ends the call, and not the step, when its own code throws', async () => {
    const broken = (part: Partial<Protocol>) =>
      defineProvider({
        protocol: (server, kit) => ({ ...lines.protocol(server, kit), ...part }),
      });
    const thrower = () => {
      throw new RangeError('a bug');
    };
    for (const part of [
      { assemble: thrower },
      { send: thrower },
      { errors: { answerOf: thrower } as never },
    ]) {
      await using server = await lineServer([500, '']);
      const outcome = await ask(server.url, broken(part));
      expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'fatal' } });
    }
  });

  test('is missing for a session that began with it: the run reports that, and may fail over to another model', async () => {
    const provider = modelProvider({
      harbour: { baseUrl: 'http://127.0.0.1:9', auth: 'bearer', key: async () => KEY },
    });
    const failureOf = async (different: Partial<ModelRequest>) =>
      provider.complete(request(different), () => {}, AbortSignal.timeout(5_000));
    expect(await failureOf({})).toMatchObject({
      failure: {
        kind: 'account',
        code: 'not_declared',
        message: 'This deployment declares no provider lines.',
      },
    });
    expect(await failureOf({ server: 'toString' })).toMatchObject({
      failure: { kind: 'account', message: 'This deployment declares no model server toString.' },
    });
  });
});

test('a provider without a protocol is refused where it is declared', () => {
  expect(() => defineProvider({} as never)).toThrow(/protocol/);
  expect(() => deployed('http://127.0.0.1:9', [], {} as never)).toThrow(
    'providers.lines: use defineProvider',
  );
});
