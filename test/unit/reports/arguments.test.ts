/** Arguments and names as models write them, on the wire of both APIs. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { mcpServer } from '../../../tools/mcp/index.ts';
import { mcpDouble } from '../../support/mcp/double.ts';
import { type Api, converse, type Written } from './conversation.fixture.ts';

const apis: Api[] = ['anthropic', 'openai'];
const inputSchema = {
  type: 'object',
  properties: { q: { type: 'string' }, limit: { type: 'integer' }, tags: { type: 'array', items: {} } },
  required: ['q'],
};

async function ofMcp(api: Api, json: string) {
  const server = mcpDouble({ tools: [{ name: 'find', inputSchema }] });
  const source = mcpServer({ name: 'srv', url: 'https://mcp.example.com/mcp', effects: { find: 'once' } });
  const went = await converse({
    definition: { toolSources: [source] },
    asks: [['srv__find', json]],
    api,
    internet: server.internet,
  });
  const called = server.heard.filter(({ method }) => method === 'tools/call');
  return { ...went, called: called.map(({ params }) => params.arguments) };
}

async function ofOwn(api: Api, written: Written) {
  const got: unknown[] = [];
  const find = defineTool({
    name: 'find',
    description: 'Finds.',
    effect: 'once',
    input: z.object({
      q: z.string(),
      limit: z.int().optional(),
      tags: z.array(z.string()).default([]),
    }),
    run: (input) => {
      got.push(input);
      return 'found';
    },
  });
  return { ...(await converse({ definition: { tools: [find] }, asks: [written], api })), got };
}

describe.each(apis)('over %s', (api) => {
  test('mcp-null-for-optional: null for a property that is not required means absent, for the server, people and approvals', async () => {
    const { called, asked, events, messages, sent, results } = await ofMcp(api, '{"q":"x","limit":null}');
    expect(called).toEqual([{ q: 'x' }]);
    expect(results).toMatchObject([{ outcome: 'ok' }]);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain('null');
    expect(JSON.stringify(messages)).toContain(JSON.stringify('{"q":"x"}'));
    expect(events.filter(({ type }) => type === 'TOOL_CALL_ARGS')).toMatchObject([{ delta: '{"q":"x"}' }]);
    // Its server gets back the arguments as the model wrote them.
    expect(sent.replaceAll('\\', '')).toContain('"limit":null');
  });

  test('mcp-null-for-optional: the same for zod .optional()', async () => {
    const { got } = await ofOwn(api, ['find', '{"q":"x","limit":null,"tags":null}']);
    expect(got).toEqual([{ q: 'x', tags: [] }]);
  });

  test('null for a required property is reported as an error', async () => {
    const { called, results } = await ofMcp(api, '{"q":null}');
    expect(called).toEqual([]);
    expect(results[0]?.content).toContain('invalid_arguments');
  });

  test.each<[string, string]>([
    ['JSON text in values', '{"q":"x","limit":"5","tags":"[\\"a\\"]"}'],
    ['arguments encoded twice', JSON.stringify('{"q":"x","limit":5,"tags":["a"]}')],
    ['arguments in a wrapper', '{"arguments":{"q":"x","limit":5,"tags":["a"]}}'],
    ['a trailing comma', '{"q":"x","limit":5,"tags":["a"],}'],
    ['Python literals', "{'q': 'x', 'limit': 5, 'tags': ['a']}"],
  ])('%s: the tool gets its arguments, once', async (_name, json) => {
    const { got, asked } = await ofOwn(api, ['find', json]);
    expect(got).toEqual([{ q: 'x', limit: 5, tags: ['a'] }]);
    expect(asked).toHaveLength(1);
    const { called } = await ofMcp(api, json);
    expect(called).toEqual([{ q: 'x', limit: 5, tags: ['a'] }]);
  });

  test.each(['functions.find', 'default_api.find', 'find<|channel|>commentary', 'Find', 'find:0'])(
    'the name %s runs the intended tool',
    async (name) => {
      const { got, results } = await ofOwn(api, [name, '{"q":"x"}']);
      expect(got).toEqual([{ q: 'x', tags: [] }]);
      expect(results).toMatchObject([{ name: 'find', outcome: 'ok' }]);
    },
  );

  test('an unknown name is reported with the nearest one', async () => {
    const { got, results } = await ofOwn(api, ['fined', '{"q":"x"}']);
    expect(got).toEqual([]);
    expect(results[0]?.content).toBe(
      'Error [unknown_tool]: there is no tool named fined. The nearest name is find.',
    );
  });
});
