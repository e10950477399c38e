import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENCY_META_KEY } from '../../shared/doors/mcp/ask.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(({ messages, turn }) =>
    /send/i.test(JSON.stringify(messages[0])) && turn === 0
      ? callTools(['transfer', { n: 7 }])
      : sayText('It is done.'),
  );
  world = await embedded({ model });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const address = () => `${world.stack.outputs.HttpUrl}/mcp`;

/** A client of this SDK, which negotiates the version of its mode. */
async function connected(
  versionNegotiation: { mode: 'auto' | 'legacy' } = { mode: 'auto' },
  shows = false,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '0' },
    { versionNegotiation, capabilities: shows ? { elicitation: { form: {} } } : {} },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address()), {
      requestInit: { headers: { authorization: `Bearer ${world.token}` } },
    }),
  );
  return client;
}

describe.each(['auto', 'legacy'] as const)('a client of MCP over HTTP (%s)', (mode) => {
  test('lists the agents as tools, and a call answers what its agent has come to', async () => {
    const client = await connected({ mode });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('ask_worker');
    const said = await client.callTool({ name: 'ask_worker', arguments: { message: 'Go.' } });
    expect(said.structuredContent).toMatchObject({ state: 'completed', answer: 'It is done.' });
    await client.close();
  });
});

test('a client in a browser may send the headers of the protocol', async () => {
  const { headers } = await fetch(address(), {
    method: 'OPTIONS',
    headers: {
      origin: 'https://page.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-method,mcp-name,mcp-protocol-version',
    },
  });
  const allowed = headers.get('access-control-allow-headers')?.split(',');
  expect(allowed).toEqual(
    expect.arrayContaining(['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name']),
  );
});

const ask = { name: 'ask_worker', arguments: { message: 'Please send it.' } };

test('a person approves in a form of the client: the answer is a request of its own', async () => {
  const client = await connected({ mode: 'auto' }, true);
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params.message);
    return { action: 'accept', content: { decision: 'approve' } };
  });
  const said = await client.callTool(ask);
  expect(shown).toEqual([expect.stringContaining('n: 7')]);
  expect(said.structuredContent).toMatchObject({ state: 'completed' });
  await client.close();
});

test.each(['auto', 'legacy'] as const)(
  'a client without forms reads what is asked, and where a person decides (%s)',
  async (mode) => {
    const client = await connected({ mode }, mode === 'legacy');
    const said = await client.callTool(ask);
    expect(said).toMatchObject({
      structuredContent: { state: 'waiting_for_input', asks: [{ kind: 'approval' }] },
    });
    expect(JSON.stringify(said.content)).toContain('steploop sessions decide');
    await client.close();
  },
);

test('a repeated call with its key begins one session', async () => {
  const client = await connected();
  const call = { name: 'ask_worker', arguments: { message: 'Go.' }, _meta: { [IDEMPOTENCY_META_KEY]: 'k1' } };
  const [one, two] = [await client.callTool(call), await client.callTool(call)];
  const { session } = one.structuredContent as { session: string };
  expect(two.structuredContent).toMatchObject({ session });
  expect((await world.messages(session)).filter(({ role }) => role === 'user')).toHaveLength(1);
  await client.close();
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(address(), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test.each<[string, () => Promise<Response>, number]>([
  [
    'GET',
    () =>
      fetch(address(), { headers: { authorization: `Bearer ${world.token}`, accept: 'text/event-stream' } }),
    405,
  ],
  [
    'DELETE',
    () =>
      fetch(address(), {
        method: 'DELETE',
        headers: { authorization: `Bearer ${world.token}`, 'mcp-session-id': 'x' },
      }),
    405,
  ],
  ['no credential', () => fetch(address(), { method: 'POST', body: JSON.stringify(ping) }), 401],
  ['GET without a credential', () => fetch(address()), 401],
  ['no JSON', () => post('{'), 400],
  ['nothing', () => post(''), 400],
  ['a batch', () => post([ping]), 400],
  ['an unknown protocol version', () => post(ping, { 'mcp-protocol-version': '1999-01-01' }), 400],
  ['a session of another server', () => post(ping, { 'mcp-session-id': 'x' }), 200],
  ['a notification', () => post({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202],
  ['an id that is a text', () => post({ ...ping, id: 'one' }), 200],
  ['another content type', () => post(ping, { 'content-type': 'text/plain' }), 415],
])('%s is answered as the transport says', async (_what, ask, status) => {
  const answer = await ask();
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers.get('allow')).toBe('POST');
  if (status === 202) expect(await answer.text()).toBe('');
});

test('an unknown method, an unknown tool and wrong arguments are errors of the protocol, and a subscription does not hang', async () => {
  const call = async (method: string, params: object) =>
    (await post({ jsonrpc: '2.0', id: 1, method, params })).text();
  expect(await call('nothing/here', {})).toContain('-32601');
  expect(await call('tools/call', { name: 'ask_nobody', arguments: {} })).toMatch(/-32602|isError/);
  expect(await call('tools/call', { name: 'ask_worker', arguments: {} })).toMatch(/give a message/);
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const listen = await post(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: envelope },
    },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
  );
  expect(await listen.text()).toContain('Subscription limit');
});
