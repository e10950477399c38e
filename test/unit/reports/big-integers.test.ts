/** Integers beyond 2^53: they keep their digits, or the call fails with a sentence. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { mcpServer } from '../../../tools/mcp/index.ts';
import { mcpDouble } from '../../support/mcp/double.ts';
import { type Api, converse } from './conversation.fixture.ts';

const DIGITS = '2512292042121000001';
const WRONG = '2512292042121000000';
const written = `{"id":${DIGITS}}`;

async function ofOwn(api: Api, id: z.ZodType, json = written) {
  const got: unknown[] = [];
  const lookup = defineTool({
    ...{ name: 'lookup', description: 'Looks up.', effect: 'once', input: z.object({ id }) },
    run: ({ id }) => {
      got.push(id);
      return { id };
    },
  });
  const went = await converse({ definition: { tools: [lookup] }, asks: [['lookup', json]], api });
  return { ...went, got };
}

async function ofMcp(api: Api, answer: (body: string) => Response, type: unknown = 'integer') {
  const bodies: string[] = [];
  const inputSchema = {
    type: 'object',
    properties: {
      id: type === 'integer' ? { type, maximum: 9223372036854775807n } : { type },
      ids: { type: 'array', items: { type: 'integer' } },
    },
    required: ['id'],
  };
  const double = mcpDouble({
    answers: ({ method, id }) => {
      if (method !== 'tools/list') return undefined;
      const result = { tools: [{ name: 'lookup', inputSchema }] };
      return json({ jsonrpc: '2.0', id, result });
    },
  });
  const source = mcpServer({ name: 'srv', url: 'https://mcp.example.com/mcp', effects: { lookup: 'once' } });
  const went = await converse({
    definition: { toolSources: [source] },
    asks: [['srv__lookup', `{"id":${DIGITS},"ids":[1,${DIGITS}]}`]],
    api,
    internet: async (request) => {
      const body = await request.clone().text();
      if (!body.includes('"tools/call"')) return double.internet(request);
      bodies.push(body);
      return answer(body);
    },
  });
  return { ...went, bodies };
}

/** JSON with integers unchanged. */
const json = (value: unknown) =>
  new Response(
    JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? raw(one) : one)),
    { headers: { 'content-type': 'application/json' } },
  );
const raw = (integer: bigint) =>
  (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(String(integer));
const idOf = (body: string): unknown => JSON.parse(body).id;
const result = (content: readonly object[], more: object = {}) => ({ content, ...more });

describe.each<Api>(['anthropic', 'openai'])('over %s', (api) => {
  test('big-int-arguments: a tool of text gets the digits, and so do people and the next request', async () => {
    const { got, asked, messages, events: told, sent, results } = await ofOwn(api, z.string());
    expect(got).toEqual([DIGITS]);
    expect(results).toMatchObject([{ outcome: 'ok', content: `{"id":"${DIGITS}"}` }]);
    expect(asked).toHaveLength(1);
    for (const shown of [asked, messages, told, sent]) {
      expect(JSON.stringify(shown)).toContain(DIGITS);
      expect(JSON.stringify(shown)).not.toContain(WRONG);
    }
  });

  test.each([
    ['z.bigint', z.bigint()],
    ['z.coerce.bigint', z.coerce.bigint()],
    ['z.union', z.union([z.number(), z.bigint()])],
  ])('big-int-arguments: a tool of %s gets the integer', async (_name, id) => {
    const { got, results } = await ofOwn(api, id);
    expect(got).toEqual([BigInt(DIGITS)]);
    expect(results).toMatchObject([{ outcome: 'ok', content: `{"id":"${DIGITS}"}` }]);
  });

  test('a tool of z.bigint gets the digits even if a double prints them', async () => {
    const { got } = await ofOwn(api, z.bigint(), `{"id":${WRONG}}`);
    expect(got).toEqual([BigInt(WRONG)]);
  });

  test('a tool of z.bigint accepts small integers too', async () => {
    const { got, results } = await ofOwn(api, z.bigint(), '{"id":7}');
    expect(got).toEqual([7n]);
    expect(results).toMatchObject([{ outcome: 'ok', content: '{"id":7}' }]);
  });

  test.each([
    ['z.number', z.number()],
    ['z.int', z.int()],
  ])(
    'big-int-arguments: a tool of %s is not called with a different number, and the model is told why',
    async (_name, id) => {
      const { got, results, messages, sent } = await ofOwn(api, id);
      expect(got).toEqual([]);
      expect(results[0]?.content).toContain(`${DIGITS} is too large for a number to hold exactly`);
      expect(JSON.stringify([messages, sent])).not.toContain(WRONG);
    },
  );

  test('big-int-arguments: an MCP tool gets the integer as it was written', async () => {
    const { bodies, asked, messages, sent } = await ofMcp(api, (body) =>
      json({ jsonrpc: '2.0', id: idOf(body), result: result([{ type: 'text', text: 'found' }]) }),
    );
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain(`"arguments":{"id":${DIGITS},"ids":[1,${DIGITS}]}`);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify([asked, messages, sent])).not.toContain(WRONG);
    expect(JSON.stringify(asked)).toContain(DIGITS);
  });

  test('an MCP tool of text gets text', async () => {
    const { bodies } = await ofMcp(
      api,
      (body) => json({ jsonrpc: '2.0', id: idOf(body), result: result([]) }),
      'string',
    );
    expect(bodies[0]).toContain(`"id":"${DIGITS}"`);
  });

  test.each<[string, (message: object) => Response]>([
    ['JSON', json],
    ['a stream', streamOf],
  ])('big-int-arguments: structured content of MCP keeps its digits, in %s', async (_name, answer) => {
    const structuredContent = { id: BigInt(DIGITS), small: 5 };
    const { results, sent } = await ofMcp(api, (body) =>
      answer({ jsonrpc: '2.0', id: idOf(body), result: result([], { structuredContent }) }),
    );
    expect(results[0]?.content).toBe(`{"id":"${DIGITS}","small":5}`);
    expect(sent).toContain(DIGITS);
    expect(sent).not.toContain(WRONG);
  });
});

async function textOf(message: object): Promise<string> {
  return json(message).text();
}

/** One event, in packets of a few bytes. */
function streamOf(message: object): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const bytes = new TextEncoder().encode(
        `id: 9007199254740993000\nevent: message\ndata: ${await textOf(message)}\n\n`,
      );
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
