import { TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Internet } from '../../shared/memory/egress.ts';
import { caller } from '../support/a2a/call.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(({ messages, turn }) => {
    const said = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
    if (turn > 0) return sayText('It is done.');
    if (said.includes('send it')) return callTools(['transfer', { n: 7 }]);
    if (said.includes('ask me')) return callTools(['ask_user', { question: 'Which one?' }]);
    if (said.includes('take long')) return callTools(['look', { n: 8 }]);
    return sayText('Hello.');
  });
  world = await embedded({
    model,
    tools: ({ name }) => (name === 'look' ? new Promise(() => undefined) : { ok: true }),
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const base = () => `${world.stack.outputs.HttpUrl}/a2a/worker`;

async function connected(): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${world.token}`);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
    }),
  );
  return factory.createFromUrl(`${base()}/`);
}

const message = (
  messageId: string,
  said: string | object,
  of: { taskId?: string; contextId?: string } = {},
) => ({
  tenant: '',
  metadata: undefined,
  configuration: undefined,
  message: {
    ...{ messageId, role: 1, taskId: '', contextId: '', metadata: undefined, extensions: [] },
    ...{ referenceTaskIds: [], ...of },
    parts: [
      {
        content:
          typeof said === 'string'
            ? ({ $case: 'text', value: said } as const)
            : ({ $case: 'data', value: said } as const),
        ...{ metadata: undefined, filename: '', mediaType: '' },
      },
    ],
  },
});

// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
const sent = async (client: Client, ...said: Parameters<typeof message>): Promise<any> =>
  client.sendMessage(message(...said));
const get = (client: Client, id: string) => client.getTask({ id, tenant: '' });
const textsOf = (task: { artifacts: { parts: { content?: unknown }[] }[] }) =>
  task.artifacts.flatMap(({ parts }) => parts.map(({ content }) => (content as { value: unknown }).value));

test('a client finds the agent by its card, and a message becomes a task that ends with its answer; the next one in its context is another task', async () => {
  const client = await connected();
  const first = await sent(client, 'm1', 'Hi.');
  expect(first.status.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(textsOf(first)).toEqual(['Hello.']);
  expect(await sent(client, 'm1', 'Hi.')).toMatchObject({ id: first.id, contextId: first.contextId });

  const { contextId } = first;
  const second = await sent(client, 'm2', 'Hi again.', { contextId });
  expect(second).toMatchObject({ contextId });
  expect(second.id).not.toBe(first.id);
  expect(second.history).toHaveLength(2);
  // The first one is still what it was.
  const before = await get(client, first.id);
  expect(before.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(before.history).toHaveLength(2);
  expect(await sent(client, 'm1', 'Hi.')).toMatchObject({ id: first.id });
  expect(await sent(client, 'm2', 'Hi again.', { contextId })).toMatchObject({ id: second.id });
  expect((await world.messages(contextId)).filter(({ role }) => role === 'user')).toHaveLength(2);
  await expect(sent(client, 'm3', 'More.', { taskId: first.id })).rejects.toThrow(/is completed/);
});

test('an approval is input-required: a text does not approve, a data part does, and its repeat changes nothing', async () => {
  const client = await connected();
  const asked = await sent(client, 'a1', 'Please send it.');
  expect(asked.status.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(JSON.stringify(asked.status.message)).toContain('transfer');
  const { id: taskId } = asked;
  await expect(sent(client, 'a2', 'yes', { taskId })).rejects.toThrow(/data part/);
  const done = await sent(client, 'a3', { decision: 'approve' }, { taskId });
  expect(done).toMatchObject({ id: taskId });
  expect(textsOf(done)).toEqual(['It is done.']);
  const wait = asked.status.message.parts.find(
    ({ content }: { content: { $case: string } }) => content.$case === 'data',
  ).content.value.asks[0].id;
  const repeated = await sent(client, 'a3', { wait, decision: 'approve' }, { taskId });
  expect(repeated).toMatchObject({ id: taskId, status: { state: TaskState.TASK_STATE_COMPLETED } });
  await expect(sent(client, 'a4', { wait, decision: 'refuse' }, { taskId })).rejects.toThrow(
    /Already decided|Nothing to decide/,
  );
  await expect(sent(client, 'a5', { decision: 'refuse' }, { taskId })).rejects.toThrow(
    /is completed, and waits for no decision/,
  );
  expect(world.toolStarts.filter(({ name }) => name === 'transfer')).toHaveLength(1);
});

test('a question is input-required, and a text answers it', async () => {
  const client = await connected();
  const asked = await sent(client, 'q1', 'Please ask me.');
  expect(asked.status.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const done = await sent(client, 'q2', 'The blue one.', { taskId: asked.id, contextId: asked.contextId });
  expect(done.status.state).toBe(TaskState.TASK_STATE_COMPLETED);
});

test('a task that takes long is working, and can be canceled once', async () => {
  const client = await connected();
  const asked = message('l1', 'This will take long.');
  const began = (await client.sendMessage({
    ...asked,
    configuration: {
      ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
    },
    // biome-ignore lint/suspicious/noExplicitAny: a task
  })) as any;
  expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(began.status.state);
  const canceled = await client.cancelTask({ id: began.id, tenant: '', metadata: undefined });
  expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect(client.cancelTask({ id: began.id, tenant: '', metadata: undefined })).rejects.toThrow(
    /is canceled/,
  );
});

test.each([
  ['an unknown task', { method: 'GetTask', params: { id: 'none-0' } }, -32001],
  ['a task id of another form', { method: 'GetTask', params: { id: '../x' } }, -32001],
  [
    'a message to an unknown task',
    {
      method: 'SendMessage',
      params: { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId: 'none-0' } },
    },
    -32001,
  ],
  [
    'a message in an unknown context',
    {
      method: 'SendMessage',
      params: { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'x' }], contextId: 'none' } },
    },
    -32602,
  ],
  [
    'a message without an id',
    { method: 'SendMessage', params: { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } } },
    -32602,
  ],
  [
    'a message without text',
    { method: 'SendMessage', params: { message: { messageId: 'y', role: 'ROLE_USER', parts: [] } } },
    -32602,
  ],
  [
    'a file',
    {
      method: 'SendMessage',
      params: { message: { messageId: 'z', role: 'ROLE_USER', parts: [{ url: 'https://x.example/' }] } },
    },
    -32005,
  ],
  [
    'a text that is too long',
    {
      method: 'SendMessage',
      params: { message: { messageId: 'w', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(200_000) }] } },
    },
    -32602,
  ],
  [
    'a stream',
    {
      method: 'SendStreamingMessage',
      params: { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'x' }] } },
    },
    -32004,
  ],
  ['a subscription', { method: 'SubscribeToTask', params: { id: 'none-0' } }, -32004],
  [
    'a push configuration',
    { method: 'GetTaskPushNotificationConfig', params: { taskId: 'x', id: 'y' } },
    -32003,
  ],
  ['the extended card', { method: 'GetExtendedAgentCard' }, -32007],
  ['an unknown method', { method: 'tasks/nothing', params: {} }, -32601],
  ['another version', { method: 'GetTask', params: { id: 'x' }, version: '9.9' }, -32009],
])(
  '%s has the error of the protocol',
  async (_what, {
    version = '1.0',
    ...request
  }: { version?: string; method: string; params?: object }, code) => {
    const { status, body } = await world.api(
      'POST',
      '/a2a/worker',
      { jsonrpc: '2.0', id: 'seven', ...request },
      { 'a2a-version': version },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: '2.0', error: { code } });
    if (version === '1.0') expect(body.id).toBe('seven');
  },
);

test('version 0.3 has the same tasks, in its own words', async () => {
  const call = (method: string, params: object) =>
    world.api('POST', '/a2a/worker', { jsonrpc: '2.0', id: 0, method, params });
  const said = {
    message: { kind: 'message', messageId: 'v1', role: 'user', parts: [{ kind: 'text', text: 'Hi.' }] },
    configuration: { blocking: true },
  };
  const { body } = await call('message/send', said);
  expect(body).toMatchObject({
    id: 0,
    result: {
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'text', text: 'Hello.' }] }],
    },
  });
  expect((await call('tasks/get', { id: body.result.id })).body.result).toMatchObject({ kind: 'task' });
  expect((await call('tasks/get', { id: 'none-0' })).body.error.code).toBe(-32001);
  expect((await call('tasks/cancel', { id: body.result.id })).body.error.code).toBe(-32002);
  expect((await call('message/stream', said)).body.error.code).toBe(-32004);
  expect((await call('tasks/resubscribe', { id: body.result.id })).body.error.code).toBe(-32004);
});

test('a card is public, and names the address at which it is read', async () => {
  const response = await fetch(`${base()}/.well-known/agent-card.json`);
  expect(await response.json()).toMatchObject({
    ...{ name: 'worker', url: base(), protocolVersion: '0.3.0' },
    supportedInterfaces: [
      { url: base(), protocolVersion: '1.0' },
      { url: base(), protocolVersion: '0.3' },
    ],
    capabilities: { streaming: false },
  });
  expect((await fetch(`${world.stack.outputs.HttpUrl}/a2a/nobody/.well-known/agent-card.json`)).status).toBe(
    404,
  );
  expect((await fetch(base(), { method: 'POST', body: '{}' })).status).toBe(401);
});

test('a task belongs to its agent: another one does not find it', async () => {
  const { body } = await world.api(
    'POST',
    '/a2a/worker',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'o1', role: 'ROLE_USER', parts: [{ text: 'Hi.' }] } },
    },
    { 'a2a-version': '1.0' },
  );
  const { id } = body.result.task;
  const other = (await world.api('GET', '/')).body.agents.find(
    ({ name }: { name: string }) => name !== 'worker',
  ).name;
  const found = await world.api(
    'POST',
    `/a2a/${other}`,
    { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } },
    { 'a2a-version': '1.0' },
  );
  expect(found.body.error.code).toBe(-32001);
});

test.each([
  ['no JSON', '{', -32700],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}]', -32600],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"GetTask","params":{}}', -32602],
  ['nothing', '', -32700],
  ['null', 'null', -32600],
])('a body with %s is an error, and not a failure', async (_what, body, code) => {
  const answer = await fetch(base(), {
    ...{ method: 'POST', body },
    headers: {
      authorization: `Bearer ${world.token}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    },
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
});

test('another Steploop asks the agent: a lost answer to its message begins no second task, an approval is decided by data and not by words', async () => {
  const publicly = 'https://agents.example.com';
  let losing = true;
  const internet: Internet = async (request) => {
    const { pathname } = new URL(request.url);
    const headers = new Headers(request.headers);
    const { method } = request;
    const body = method === 'GET' ? undefined : await request.text();
    const answer = await fetch(`${world.stack.outputs.HttpUrl}${pathname}`, { method, headers, body });
    const said = (await answer.text()).replaceAll(String(world.stack.outputs.HttpUrl), publicly);
    if (losing && body?.includes('"SendMessage"')) {
      losing = false;
      return Response.error();
    }
    return new Response(said, { status: answer.status, headers: { 'content-type': 'application/json' } });
  };
  const session = caller(internet, {
    ...{ url: `${publicly}/a2a/worker`, deduplicates: true, auth: { bearer: 'TOKEN' } },
    secrets: { TOKEN: world.token },
  });
  const before = (await world.api('GET', '/sessions?agent=worker')).body.sessions.length;
  await expect(session.call({ message: 'Hi.' })).rejects.toThrow();
  expect(await session.call({ message: 'Hi.' })).toContain('Hello.');
  expect((await world.api('GET', '/sessions?agent=worker')).body.sessions).toHaveLength(before + 1);

  const asked = await session.call({ message: 'Please ask me.' }, { key: 'k2' });
  expect(asked).toEqual({ question: expect.stringContaining('Which one?') });
  const answered = session.call({ message: 'Please ask me.' }, { key: 'k2', answers: ['The blue one.'] });
  expect(await answered).toContain('It is done.');

  const key = 'k3';
  expect(await session.call({ message: 'Please send it.' }, { key })).toEqual({
    question: expect.stringContaining('approval of transfer'),
  });
  const approving = session.call({ message: 'Please send it.' }, { key, answers: ['yes'] });
  await expect(approving).rejects.toThrow(/data part/);
});
