/** One odd tool affects only itself: cases from public MCP servers, and from agents' own tools. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool } from '../../../shared/agent/define/index.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import type { Pinned } from '../../../shared/agent/session/pinned.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { mcpServer } from '../../../tools/mcp/index.ts';
import { mcpDouble, tool } from '../../support/mcp/double.ts';
import { omittedIn } from '../../support/mcp/play.ts';
import { resultsIn, session, strictServer } from './tools.fixture.ts';

let count = 0;

/** An agent with one MCP server, at its own address, because the process caches tools by address. */
const withMcp = (more: Partial<Parameters<typeof mcpServer>[0]> = {}) =>
  defineAgent({
    name: 'caller',
    version: '1',
    model: { name: 'm' },
    system: 'You call.',
    approvals: 'by_tool',
    limits: { maxRetries: 1, outageSeconds: 0 },
    toolSources: [
      mcpServer({
        name: 'docs',
        url: `https://mcp${++count}.example.com/mcp`,
        effects: () => 'read',
        ...more,
      }),
    ],
  });

const schema = (inputSchema: unknown, name = 'odd') => tool(name, { inputSchema });
const sound = schema({ type: 'object', properties: { q: { type: 'string' } } }, 'good');

describe('mcp-root-anyof:', () => {
  const attach = schema(
    { type: 'object', anyOf: [{ required: ['content'] }, { required: ['source_url'] }] },
    'attach',
  );

  test('mcp-root-anyof: the tool is folded into an object, and its calls are checked by the original', async () => {
    const mcp = mcpDouble({ tools: [sound, attach] });
    let input: object = { source_url: 'https://a.example' };
    await using server = await strictServer(() => ['docs__attach', input]);
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('completed');
    input = { title: 'neither' };
    expect((await one.say())?.state).toBe('completed');
    expect(server.refused).toEqual([]);
    const [, told] = server.taken[0] ?? [];
    expect(told?.input_schema).toEqual({ type: 'object', properties: { content: {}, source_url: {} } });
    expect(told?.description).toContain('Give at least one of these: content; or source_url.');
    const arrived = mcp.heard
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params.arguments);
    expect(arrived).toEqual([{ source_url: 'https://a.example' }]);
    expect(resultsIn(await one.events()).at(-1)).toContain('Error [invalid_arguments]');
  });

  test('mcp-root-anyof: own tools whose input is a union are folded the same way, and zod checks their input', async () => {
    const shape = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), radius: z.number() }),
      z.object({ kind: z.literal('square'), side: z.number() }),
    ]);
    const seen: unknown[] = [];
    const draw = defineTool({
      name: 'draw',
      description: 'Draws.',
      effect: 'read',
      input: shape,
      run: (input) => void seen.push(input),
    });
    const agent = defineAgent({
      name: 'caller',
      version: '1',
      model: { name: 'm' },
      system: 'You call.',
      tools: [draw],
    });
    let input: object = { kind: 'circle', radius: 2 };
    await using server = await strictServer(() => ['draw', input]);
    const one = session(agent, server);
    expect((await one.say())?.state).toBe('completed');
    input = { kind: 'square', radius: 2 };
    await one.say();
    expect(seen).toEqual([{ kind: 'circle', radius: 2 }]);
    expect(resultsIn(await one.events()).at(-1)).toContain('Error [invalid_arguments]');
    expect(server.taken[0]?.[0]?.description).toBe(
      'Draws.\nGive exactly one of these: kind = "circle" with radius; or kind = "square" with side.',
    );
  });
});

test('mcp-property-key-charset: the key is renamed for the model and mapped back in the call, also next to a valid tool', async () => {
  const calls = schema(
    {
      type: 'object',
      properties: { 'StartTime<': { type: 'string' }, Status: { type: 'string' } },
      required: ['StartTime<'],
    },
    'list_calls',
  );
  const mcp = mcpDouble({ tools: [calls, sound] });
  await using server = await strictServer(([told]) => {
    const [key = ''] = Object.keys(told?.input_schema.properties ?? {});
    return ['docs__list_calls', { [key]: '2026-01-01', Status: 'done' }];
  });
  const one = session(withMcp(), server, mcp.internet);
  expect((await one.say())?.state).toBe('completed');
  const arrived = mcp.heard.find(({ method }) => method === 'tools/call');
  expect(arrived?.params.arguments).toEqual({ 'StartTime<': '2026-01-01', Status: 'done' });
  const shown = (await one.events()).flatMap((event) =>
    event.type === 'TOOL_CALL_ARGS' ? [event.delta] : [],
  );
  expect(shown.join('')).toContain('StartTime<');
});

test.each(['legacy', 'modern'] as const)(
  'mcp-outputschema-kills-list: an odd outputSchema is ignored, and so is a missing type (%s)',
  async (era) => {
    const mcp = mcpDouble({
      era,
      tools: [
        tool('first', { outputSchema: { type: ['null', 'array'], items: {} } }),
        tool('second', { outputSchema: { description: 'x' } }),
        tool('third', { inputSchema: { properties: { n: { type: 'number' } } } }),
      ],
    });
    await using server = await strictServer(() => ['docs__third', { n: 1 }]);
    const one = session(withMcp(), server, mcp.internet);
    expect(await one.say()).toMatchObject({ state: 'completed' });
    expect(server.taken[0]?.map(({ name }) => name)).toEqual(['docs__first', 'docs__second', 'docs__third']);
    expect(resultsIn(await one.events())).toEqual(['third was called']);
  },
);

describe('one-bad-tool-refuses-all:', () => {
  const ten = Array.from({ length: 10 }, (_, n) => tool(`t${n}`));

  test('one-bad-tool-refuses-all: of two tools with one name the model gets the changed one with a hash', async () => {
    const mcp = mcpDouble({ tools: [tool('a.b'), tool('a_b'), ...ten] });
    await using server = await strictServer((tools) => [tools[0]?.name ?? '', {}]);
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('completed');
    const names = server.taken[0]?.map(({ name }) => name) ?? [];
    expect(names.slice(0, 2)).toEqual([expect.stringMatching(/^docs__a_b_[0-9a-f]{8}$/), 'docs__a_b']);
    expect(names).toHaveLength(12);
    expect(mcp.heard.find(({ method }) => method === 'tools/call')?.params.name).toBe('a.b');
  });

  test('one-bad-tool-refuses-all: a dangling reference allows everything in its place', async () => {
    const odd = schema({ type: 'object', properties: { x: { $ref: '#/$defs/missing' } } });
    const mcp = mcpDouble({ tools: [odd, ...ten] });
    await using server = await strictServer(() => ['docs__odd', { x: [1] }]);
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('completed');
    expect(resultsIn(await one.events())).toEqual(['odd was called']);
  });

  test('one-bad-tool-refuses-all: with 129 tools the model gets the search tools, and each tool can be called', async () => {
    const mcp = mcpDouble({ tools: Array.from({ length: 129 }, (_, n) => tool(`t${n}`)) });
    await using server = await strictServer(() => ['call_tool', { name: 'docs__t128', arguments: {} }]);
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('completed');
    expect(server.taken[0]).toHaveLength(2);
    expect(resultsIn(await one.events())).toEqual(['t128 was called']);
    expect(omittedIn({ events: await one.events() })).toEqual([]);
  });

  test('one-bad-tool-refuses-all: a name of 210 characters is cut, with a hash', async () => {
    const mcp = mcpDouble({ tools: [tool('x'.repeat(210)), ...ten] });
    await using server = await strictServer((tools) => [tools[0]?.name ?? '', {}]);
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('completed');
    expect(mcp.heard.find(({ method }) => method === 'tools/call')?.params.name).toBe('x'.repeat(210));
  });

  test('one-bad-tool-refuses-all: a list without a usable tool ends the run at once, with a sentence', async () => {
    const mcp = mcpDouble({ tools: [schema({ type: 'string' })] });
    await using server = await strictServer(() => 'Hello.');
    const ended = await session(withMcp(), server, mcp.internet).say();
    expect(ended?.code).toBe('tool_source_wrong');
    expect(ended?.message).toContain('its tool odd takes no object as its input; it cannot be used');
    expect(mcp.methods().filter((method) => method === 'tools/list')).toHaveLength(1);
  });
});

/** More schemas from public servers, each with a call that its tool accepts. */
const more: readonly (readonly [source: string, inputSchema: unknown, input: object])[] = [
  [
    'Dokploy/mcp#74: a boolean exclusiveMinimum',
    { type: 'object', properties: { ttl: { type: 'integer', exclusiveMinimum: true, minimum: 0 } } },
    { ttl: 1 },
  ],
  [
    'mastra-ai/mastra#23731: required among the properties',
    { type: 'object', properties: { coin: { type: 'string' }, required: ['coin'] } },
    { coin: 'BTC' },
  ],
  [
    'surrealdb/surrealdb#7442: items is true',
    { type: 'object', properties: { args: { type: ['array', 'null'], items: true } } },
    { args: [1, 'a'] },
  ],
  [
    'anthropics/claude-code#92900: a property whose schema is true',
    { type: 'object', properties: { payload: true } },
    { payload: { a: 1 } },
  ],
  ['IvanMurzak/Unity-MCP#440: no schema at all', null, {}],
  [
    'Kuadrant/mcp-gateway#689: the type int',
    { type: 'object', properties: { n: { type: 'int' } } },
    { n: 3 },
  ],
  [
    'anthropics/claude-code#88049: anyOf without a type',
    {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
    { b: 'x' },
  ],
  [
    'can1357/oh-my-pi#2652: values that the type excludes',
    { type: 'object', properties: { mode: { type: 'array', enum: [0, 1], items: { type: 'integer' } } } },
    { mode: [0] },
  ],
  [
    'PrefectHQ/fastmcp#3893: a pointer into the schema, recursive',
    {
      type: 'object',
      properties: {
        nodes: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              nodes: { type: 'array', items: { $ref: '#/properties/nodes/items' } },
            },
          },
        },
      },
    },
    { nodes: [{ name: 'a', nodes: [{ name: 'b', nodes: [] }] }] },
  ],
  [
    'mastra-ai/mastra#15341: recursive definitions',
    {
      type: 'object',
      properties: { root: { $ref: '#/definitions/node' } },
      definitions: {
        node: {
          type: 'object',
          properties: { kids: { type: 'array', items: { $ref: '#/definitions/node' } } },
        },
      },
    },
    { root: { kids: [{ kids: [] }] } },
  ],
  [
    'anthropics/claude-code#586: an older draft',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
    },
    { pair: ['a', 1] },
  ],
  [
    'tadata-org/fastapi_mcp#218: words of OpenAPI',
    { type: 'object', properties: { a: { type: 'string', nullable: true, example: 'x' } } },
    { a: 'x' },
  ],
  [
    'freee/freee-mcp#15: keys that are no ASCII, in a list',
    {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          items: { type: 'object', properties: { 取引日: { type: 'string' } }, required: ['取引日'] },
        },
      },
    },
    { rows: [{ 取引日: '2026-01-01' }] },
  ],
  [
    'the root is a reference',
    {
      $ref: '#/$defs/In',
      $defs: { In: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    },
    { a: 'x' },
  ],
  ['the root may be null', { type: ['object', 'null'], properties: { a: { type: 'string' } } }, { a: 'x' }],
  [
    'definitions that lead only to each other',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } },
    },
    { a: 1 },
  ],
];

test.each(more)(
  'mcp-odd-schema, %s: the tool is accepted, and called as its server wants',
  async (_source, inputSchema, input) => {
    const mcp = mcpDouble({ tools: [schema(inputSchema), sound] });
    const names = new Map<string, string>();
    await using server = await strictServer(([told]) => {
      // The model writes the keys that it was given.
      const text = JSON.stringify(told?.input_schema);
      for (const [, key, own] of text.matchAll(/"([^"]+)":\{[^{}]*The tool calls it \\"([^"\\]+)\\"/g))
        names.set(String(own), String(key));
      const written = [...names].reduce(
        (json, [own, key]) => json.replaceAll(`"${own}"`, `"${key}"`),
        JSON.stringify(input),
      );
      return ['docs__odd', JSON.parse(written)];
    });
    const one = session(withMcp(), server, mcp.internet);
    expect(await one.say()).toMatchObject({ state: 'completed' });
    expect(server.refused).toEqual([]);
    expect(mcp.heard.find(({ method }) => method === 'tools/call')?.params.arguments).toEqual(input);
    expect(omittedIn({ events: await one.events() })).toEqual([]);
  },
);

describe('a session that an odd tool has stopped', () => {
  const attach = { type: 'object', anyOf: [{ required: ['content'] }, { required: ['source_url'] }] };

  /** A definition as a version without tool forms has stored it. */
  const stored = (pinned: Pinned): Pinned => {
    const { formed: _, ...older } = pinned;
    return {
      ...older,
      tools: [
        { name: 'docs__good', description: 'Good.', input_schema: { type: 'object', properties: {} } },
        { name: 'docs__attach', description: 'Attaches.', input_schema: attach },
      ],
      sources: {
        docs: {
          tools: ['good', 'attach'].map((name) => ({
            ...{ name: `docs__${name}`, listedAs: name },
            ...{ effect: 'read' as const, where: 'inline' as const },
          })),
        },
      },
    };
  };

  test('continues with its next message when its source is gone: its stored tools get their forms', async () => {
    const agent = withMcp();
    await using server = await strictServer(() => 'Hello.');
    const gone = defineAgent({ name: 'caller', version: '2', model: { name: 'm' }, system: 'You call.' });
    const one = session(gone, server);
    const older = stored(pin(agent, undefined));
    await one.io.sessions.putDefinition('acme', 'older', older);
    await one.io.sessions.create(newSession(one.key, 'caller', 'older'));
    expect((await one.say())?.state).toBe('completed');
    expect((await one.say())?.state).toBe('completed');
    expect(server.refused).toEqual([]);
    const [first, second] = server.taken;
    expect(first?.[1]?.input_schema).toEqual({ type: 'object', properties: { content: {}, source_url: {} } });
    expect(second).toEqual(first);
  });

  test('lists tools again with its next message, and keeps that list from the first reply on', async () => {
    const mcp = mcpDouble({ tools: [schema(attach, 'attach'), sound] });
    const agent = withMcp();
    await using server = await strictServer(() => 'Hello.');
    const one = session(agent, server, mcp.internet);
    await one.io.sessions.putDefinition('acme', 'older', stored(pin(agent, undefined)));
    await one.io.sessions.create(newSession(one.key, 'caller', 'older'));
    expect((await one.say())?.state).toBe('completed');
    expect((await one.say())?.state).toBe('completed');
    expect(server.taken.map((tools) => tools.map(({ name }) => name))).toEqual(
      Array.from({ length: 2 }, () => ['docs__attach', 'docs__good']),
    );
    expect(mcp.methods().filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  test('whose model has replied keeps its tools as they were sent, byte for byte', async () => {
    const agent = withMcp();
    const lenient = schema(
      { type: 'object', properties: { n: { type: 'number', exclusiveMinimum: 0 } } },
      'good',
    );
    const mcp = mcpDouble({ tools: [lenient] });
    await using server = await strictServer(() => 'Hello.');
    const one = session(agent, server, mcp.internet);
    await one.say();
    const { definition } = (await one.io.sessions.read(one.key))?.session ?? {};
    await one.say();
    expect((await one.io.sessions.read(one.key))?.session.definition).toBe(definition);
    expect(server.taken[1]).toEqual(server.taken[0]);
  });

  test('continues without the tool that the model’s server refuses by its position', async () => {
    const mcp = mcpDouble({ tools: [tool('cursed'), sound] });
    await using server = await strictServer(
      () => 'Hello.',
      (tools) => (tools.some(({ name }) => name === 'docs__cursed') ? 'tools.0: not here' : undefined),
    );
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('completed');
    expect(server.taken[0]?.map(({ name }) => name)).toEqual(['docs__good']);
    expect(omittedIn({ events: await one.events() })).toEqual([
      { source: 'docs', tools: [{ tool: 'cursed', why: expect.stringContaining('not here') }] },
    ]);
  });

  test('continues when the agent was deployed with other options', async () => {
    // The model's server refuses a schema that no form fixes, and names no tool.
    const mcp = mcpDouble({ tools: [tool('cursed'), sound] });
    await using server = await strictServer(
      () => 'Hello.',
      (tools) => (tools.some(({ name }) => name === 'docs__cursed') ? 'tools: not all of them' : undefined),
    );
    const one = session(withMcp(), server, mcp.internet);
    expect((await one.say())?.state).toBe('error');
    one.deploy(withMcp({ deny: ['cursed'] }));
    expect((await one.say())?.state).toBe('completed');
    expect(server.taken[0]?.map(({ name }) => name)).toEqual(['docs__good']);
  });
});

test('tools that were left out are in the answer of GET /sessions/{sessionId}, and in the log', async () => {
  const mcp = mcpDouble({ tools: [schema({ type: 'string' }), sound] });
  await using server = await strictServer(() => 'Hello.');
  const one = session(withMcp(), server, mcp.internet);
  expect((await one.say())?.state).toBe('completed');
  const omitted = [{ source: 'docs', tools: [{ tool: 'odd', why: 'takes no object as its input' }] }];
  expect(one.io.meter.omitted).toEqual(omitted);
  expect(await one.shown()).toMatchObject({ omittedTools: omitted });
});
