import { expect, test } from 'vitest';
import { mcpDouble, text, tool } from '../../support/mcp/double.ts';
import { contents, play } from '../../support/mcp/play.ts';

test('one handshake lists; calls of the same worker reuse its session, and a step without calls sends the server nothing', async () => {
  const server = mcpDouble();
  const run = await play(server.internet, [[['look']], [['look', { n: 2 }]]]);
  expect(contents(run)).toEqual(['look was called', 'look was called']);
  expect(server.methods()).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/call',
    'tools/call',
  ]);
  expect(new Set(server.heard.slice(2).map(({ headers }) => headers.get('mcp-session-id')))).toEqual(
    new Set(['session-1']),
  );
});

test('a server of 2026-07-28 is asked once for its identity, and each call is one request', async () => {
  const server = mcpDouble({ era: 'modern' });
  const run = await play(server.internet, [[['look']], [['look']]]);
  expect(contents(run)).toEqual(['look was called', 'look was called']);
  expect(server.methods()).toEqual(['server/discover', 'tools/list', 'tools/call', 'tools/call']);
});

test('a server without sessions gets no handshake for each call', async () => {
  const server = mcpDouble({ sessions: false });
  const run = await play(server.internet, [[['look']], [['look']]]);
  expect(run.state).toBe('completed');
  expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(1);
  expect(server.heard.at(-1)?.headers.get('mcp-protocol-version')).toBe('2025-11-25');
});

test('parallel calls have different ids in the session that they share', async () => {
  const server = mcpDouble({ tools: [tool('look')] });
  const run = await play(
    server.internet,
    [
      [
        ['look', { n: 1 }],
        ['look', { n: 2 }],
        ['look', { n: 3 }],
      ],
    ],
    {
      effects: { look: 'read' },
    },
  );
  expect(run.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  const ids = server.heard.filter(({ method }) => method === 'tools/call').map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
});

test('a restarted server gets a new handshake, and the refused call is repeated', async () => {
  let calls = 0;
  const server = mcpDouble({
    answers: ({ method }) => {
      // Lost after the first call has been answered.
      if (method === 'tools/call' && ++calls === 2) server.restart();
      return undefined;
    },
  });
  const run = await play(server.internet, [[['look']], [['look']]]);
  expect(contents(run)).toEqual(['look was called', 'look was called']);
  expect(server.methods().slice(4)).toEqual([
    'tools/call',
    'tools/call',
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/call',
  ]);
});

test('the arguments arrive as the model wrote them, under the server’s own name of the tool', async () => {
  const server = mcpDouble({ tools: [tool('a.b/c d')] });
  const run = await play(server.internet, [[['a_b_c_d', { n: 7 }]]]);
  expect(run.calls[0]?.outcome).toBe('ok');
  expect(server.heard.at(-1)?.params).toMatchObject({ name: 'a.b/c d', arguments: { n: 7 } });
});

test('an error of a tool is an error for the model, and structured content is given once', async () => {
  const server = mcpDouble({
    tools: [tool('fail'), tool('same'), tool('only')],
    answers: ({ method, params }) => {
      if (method !== 'tools/call') return undefined;
      if (params.name === 'fail') return text('no such order', { isError: true });
      const structuredContent = { a: 1, b: [2] };
      return params.name === 'same'
        ? text('{ "a": 1, "b": [2] }', { structuredContent })
        : { content: [], structuredContent };
    },
  });
  const run = await play(server.internet, [[['fail'], ['same'], ['only']]]);
  expect(contents(run)).toEqual(['Error [failed]: no such order', '{ "a": 1, "b": [2] }', '{"a":1,"b":[2]}']);
});
