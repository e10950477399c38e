/** Answers of public servers and SDKs that do not follow the protocol to the letter. */

import { describe, expect, test } from 'vitest';
import { events, type Heard, mcpDouble, text, tool } from '../../support/mcp/double.ts';
import { contents, play, whyNoTools } from '../../support/mcp/play.ts';

const ok = text('look was called');
const body = (content: string | null, type?: string, status = 200) =>
  new Response(content === null ? null : new TextEncoder().encode(content), {
    status,
    headers: type ? { 'content-type': type } : {},
  });
const stream = (content: string) => body(content, 'text/event-stream');
const answer = (fields: object, init?: ResponseInit) => Response.json({ jsonrpc: '2.0', ...fields }, init);

const at = (method: string, respond: (heard: Heard) => unknown, more: { sessions?: boolean } = {}) =>
  mcpDouble({ ...more, answers: (heard) => (heard.method === method ? respond(heard) : undefined) });

type Row = readonly [what: string, respond: (heard: Heard) => unknown];

const json = ({ id }: Heard) => JSON.stringify({ jsonrpc: '2.0', id, result: ok });

test.each<Row>([
  [
    '`error: null` beside its result (gensecaihq/Wazuh-MCP-Server#59)',
    ({ id }) => answer({ id, result: ok, error: null }),
  ],
  ['the same in a stream', ({ id }) => events([{ jsonrpc: '2.0', id, result: ok, error: null }])],
  ['a list around it', ({ id }) => Response.json([{ jsonrpc: '2.0', id, result: ok, error: null }])],
  [
    'its id as text (modelcontextprotocol/python-sdk#1720)',
    ({ id }) => answer({ id: String(id), result: ok }),
  ],
  ['its id as text in a stream', ({ id }) => events([{ jsonrpc: '2.0', id: String(id), result: ok }])],
  ['its id with a fraction (awslabs/AutoCorrode#43)', ({ id }) => answer({ id: `${id}.0`, result: ok })],
  ['the id 0 (radareorg/radare2-mcp#68)', () => answer({ id: 0, result: ok })],
  ['the id null', () => answer({ id: null, result: ok })],
  ['no id and no version (Quantum3-Labs/ARBuilder#2)', () => Response.json({ result: ok })],
  ['a text as its result', ({ id }) => answer({ id, result: 'look was called' })],
  ['the content as its result', ({ id }) => answer({ id, result: ok.content })],
  [
    'text/plain (modelcontextprotocol/java-sdk#748)',
    (heard) => body(json(heard), 'text/plain; charset=utf-8'),
  ],
  ['text/json', (heard) => body(json(heard), 'text/json')],
  ['no content type (aklivity/zilla#2214)', (heard) => body(json(heard))],
  ['a byte order mark', (heard) => body(`\ufeff${json(heard)}`, 'application/json')],
  ['a byte order mark in a stream', (heard) => stream(`\ufeffdata: ${json(heard)}\n\n`)],
  ['lines that end with CR', (heard) => stream(`event: message\rdata: ${json(heard)}\r\r`)],
  ['lines that end with CR LF', (heard) => stream(`event: message\r\ndata: ${json(heard)}\r\n\r\n`)],
  ['no blank line at its end', (heard) => stream(`event: message\ndata: ${json(heard)}`)],
  [
    'several lines of data',
    (heard) =>
      stream(`data: {"jsonrpc":"2.0",\ndata: "id":${heard.id},\ndata: "result":${JSON.stringify(ok)}}\n\n`),
  ],
  ['another name of its event', (heard) => stream(`event: response\ndata: ${json(heard)}\n\n`)],
  [
    'signs of life around it',
    (heard) =>
      stream(
        `: ping\n\nevent: ping\ndata: {}\n\ndata:\n\nretry: 10\n\ndata: ${json(heard)}\n\ndata: [DONE]\n\n`,
      ),
  ],
  [
    'text and other JSON before it',
    (heard) => stream(`data: hello\n\ndata: {"a":1}\n\ndata: ${json(heard)}\n\n`),
  ],
  [
    'requests without an answer here before it',
    ({ id }) =>
      events([
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 2, method: 'roots/list' },
        { jsonrpc: '2.0', id: 3, method: 'sampling/createMessage', params: {} },
        { jsonrpc: '2.0', method: 'notifications/message', params: [] },
        { jsonrpc: '2.0', id, result: ok },
      ]),
  ],
  [
    'a storm of changed lists before it',
    ({ id }) =>
      events([
        ...Array.from({ length: 500 }, () => ({
          jsonrpc: '2.0',
          method: 'notifications/tools/list_changed',
        })),
        { jsonrpc: '2.0', id, result: ok },
      ]),
  ],
])('the answer to a call is read with %s', async (_what, respond) => {
  const run = await play(at('tools/call', respond).internet, [[['look']]]);
  expect(contents(run)).toEqual(['look was called']);
});

test.each<Row>([
  [
    'a text as its code (modelcontextprotocol/csharp-sdk#1799)',
    ({ id }) => answer({ id, error: { code: 'E_DOWN', message: 'the database is down' } }),
  ],
  ['no code', ({ id }) => answer({ id, error: { message: 'the database is down' } })],
  ['only a text', ({ id }) => answer({ id, error: 'the database is down' })],
  [
    'the id null (helidon-io/helidon-mcp#65)',
    () => answer({ id: null, error: { code: -32603, message: 'the database is down' } }),
  ],
  [
    'a result that is null',
    ({ id }) => answer({ id, result: null, error: { code: -32603, message: 'the database is down' } }),
  ],
  [
    'a result beside it (modelcontextprotocol/rust-sdk#1283)',
    ({ id }) => answer({ id, result: ok, error: { code: -32603, message: 'the database is down' } }),
  ],
  ['no JSON-RPC around it', () => stream('event: message\ndata: {"error":"the database is down"}\n\n')],
])('an error is one in its own words with %s', async (_what, respond) => {
  const run = await play(at('tools/call', respond).internet, [[['look']]]);
  expect(contents(run)).toEqual([
    'Error [failed]: whether look has run is not known: the MCP server srv answers with the error -32603: the database is down',
  ]);
});

test.each<Row>([
  ['a stream that is closed (modelcontextprotocol/python-sdk#3052)', () => stream(': bye\n\n')],
  [
    'a stream that is closed after other messages',
    () => events([{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }]),
  ],
  ['a stream that is closed within its answer', (heard) => stream(`data: ${json(heard).slice(0, -9)}`)],
  [
    'a stream that breaks',
    () =>
      new Response(new ReadableStream({ pull: (to) => to.error(new Error('reset')) }), {
        headers: { 'content-type': 'text/event-stream' },
      }),
  ],
  [
    'a cancelled request',
    ({ id }) => events([{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }]),
  ],
  ['an empty body', () => body('', 'application/json')],
  ['202 and no body', () => body(null, undefined, 202)],
  ['the answer to another request', ({ id }) => events([{ jsonrpc: '2.0', id: Number(id) + 7, result: ok }])],
])('a call ends at once with %s', async (_what, respond) => {
  const run = await play(at('tools/call', respond).internet, [[['look']]]);
  expect(contents(run)).toEqual([
    expect.stringMatching(/whether look has run is not known: the MCP server srv .*without an answer/),
  ]);
});

const handshake = (more: object) => ({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'double', version: '1' },
  ...more,
});

test.each([
  [
    'capabilities that are null',
    { capabilities: { tools: {}, prompts: null, resources: null, logging: null } },
  ],
  [
    'capabilities that PHP has written as lists (php-mcp/schema#2)',
    { capabilities: { tools: [], experimental: [] } },
  ],
  ['a capability that is true', { capabilities: { tools: true } }],
  ['no capabilities', { capabilities: undefined }],
  ['all capabilities null', { capabilities: null }],
  ['instructions that are null', { instructions: null }],
  ['metadata that is null', { _meta: null }],
  ['no name of itself', { serverInfo: undefined }],
  ['no version of itself', { serverInfo: { name: 'double' } }],
  [
    'null in what it says of itself',
    { serverInfo: { name: 'double', version: '1', title: null, icons: null } },
  ],
])('a handshake succeeds with %s', async (_what, more) => {
  const server = at('initialize', () => handshake(more), { sessions: false });
  expect(contents(await play(server.internet, [[['look']]]))).toEqual(['look was called']);
});

test('a version of the protocol that the client does not speak ends the run at once', async () => {
  const server = at('initialize', () => handshake({ protocolVersion: '1.0' }), { sessions: false });
  const run = await play(server.internet, []);
  expect(whyNoTools(run)).toBe('tool_source_wrong');
  expect(JSON.stringify(run.events)).toContain('speaks a version of the protocol that is not supported');
  expect(server.methods()).toEqual(['server/discover', 'initialize']);
});

test.each<Row>([
  ['500', () => body('no such method', 'text/plain', 500)],
  [
    'an error without an id (adcontextprotocol/adcp-client#2408)',
    () => answer({ id: null, error: { code: -32600, message: 'Missing ID field' } }),
  ],
  [
    'an error of another form (modelcontextprotocol/csharp-sdk#1799)',
    () => Response.json({ error: { code: 'invalid_payload', message: 'Unknown method' } }, { status: 400 }),
  ],
  [
    'an error with a text as its code',
    ({ id }) => answer({ id, error: { code: 'UNKNOWN_METHOD', message: 'x' } }),
  ],
  [
    '404 for a missing session (modelcontextprotocol/csharp-sdk#1765)',
    () => body('Invalid session ID', 'text/plain', 404),
  ],
  ['a page', () => body('<html></html>', 'text/html')],
  ['nothing', () => body('', 'application/json')],
  ['null', ({ id }) => answer({ id, result: null })],
])(
  'a server that answers the question for newer versions with %s is asked for older ones',
  async (_what, respond) => {
    const server = at('server/discover', respond);
    expect(contents(await play(server.internet, [[['look']]]))).toEqual(['look was called']);
  },
);

test.each([200, 204, 400, 405, 500])('a notification may be answered with %i', async (status) => {
  const server = at('notifications/initialized', () =>
    body(status === 204 ? null : '', 'text/plain', status),
  );
  expect(contents(await play(server.internet, [[['look']]]))).toEqual(['look was called']);
});

test.each([
  [
    'metadata that is null',
    { tools: [tool('look', { _meta: null, icons: null, title: null })], _meta: null },
  ],
  ['a number as its cursor', { tools: [tool('look')], nextCursor: 2 }],
])('a list is read with %s', async (_what, list) => {
  const run = await play(at('tools/list', () => list).internet, [[['look']]]);
  expect(contents(run)).toEqual(['look was called']);
});

describe('a server that has forgotten its session', () => {
  const error = (message: string, code = -32_000) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
  const refuses = (status: number, said: object | string) => () =>
    typeof said === 'string' ? body(said, 'text/plain', status) : Response.json(said, { status });

  test.each<Row>([
    [
      '400, not initialized (anthropics/claude-code#55970)',
      refuses(400, error('Bad Request: Server not initialized')),
    ],
    [
      '400, an unknown header (diegosouzapw/OmniRoute#5169)',
      refuses(400, error('Bad Request: Unknown Mcp-Session-Id header')),
    ],
    ['401 (modelcontextprotocol/rust-sdk#689)', refuses(401, 'Unauthorized: Session not found')],
    [
      '403 (LanternOps/breeze#3744)',
      refuses(403, { code: -32001, message: 'Mcp-Session-Id principal mismatch' }),
    ],
    ['404', refuses(404, 'Not Found')],
    ['410', refuses(410, 'Gone')],
    ['503 (markmhendrickson/neotoma#1923)', refuses(503, error('Unknown session'))],
    ['200 and an error', ({ id }) => answer({ id, error: { code: -32001, message: 'Session not found' } })],
    [
      '200 and an error of another form (actionhero/keryx#503)',
      () => stream('event: message\ndata: {"error":"Session not found"}\n\n'),
    ],
    [
      '200 while it wants a handshake (hawkxtreme/mini-ai-1c#88)',
      ({ id }) =>
        answer({
          id,
          error: { code: 0, message: 'method "tools/call" is invalid during session initialization' },
        }),
    ],
  ])('and says %s gets a new handshake, and the call again', async (_what, respond) => {
    for (const auth of [undefined, { bearer: 'KEY' }]) {
      let calls = 0;
      const server = at('tools/call', (heard) => (++calls === 2 ? respond(heard) : undefined));
      const run = await play(server.internet, [[['look']], [['look']]], auth && { auth }, {
        secrets: { KEY: 'k' },
      });
      expect(contents(run)).toEqual(['look was called', 'look was called']);
      expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
    }
  });

  test.each<Row>([
    ['a refused credential', refuses(401, 'no')],
    ['an error about something else', refuses(503, error('The database has no free session'))],
    [
      'an error of a tool that has sessions',
      ({ id }) => answer({ id, error: { code: -32603, message: 'browser session not found' } }),
    ],
  ])('is not meant by %s', async (_what, respond) => {
    let calls = 0;
    const server = at('tools/call', (heard) => (++calls === 2 ? respond(heard) : undefined));
    const run = await play(server.internet, [[['look']], [['look']]]);
    expect(contents(run)).toEqual(['look was called', expect.stringContaining('Error [failed]')]);
    expect(calls).toBe(2);
  });
});
