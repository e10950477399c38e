/**
 * Walks every route and every WebSocket action with another tenant's credentials. The routes come from the contract: a
 * route or an action that is added there fails this test until the test says how to walk it.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket as WebSocketOfFrames } from 'ws';
import { apiAt } from '../../cli/mcp/api.ts';
import { MAX_RUN_INPUT_BYTES } from '../../shared/contract/ag-ui-input.ts';
import { env } from '../../shared/contract/env.ts';
import { MAX_IMPORT_BYTES } from '../../shared/contract/history.ts';
import { SocketRequest } from '../../shared/contract/http.ts';
import * as contract from '../../shared/contract/routes.ts';
import { ask as askAgent } from '../../shared/doors/mcp/ask.ts';
import { type Answer, type Embedded, embedded, webhookSecrets } from '../support/embedded.ts';
import { pngOf } from '../support/images.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { attempt, countAttempts } from './attempts.ts';
import { bodies, httpRoutes, queries } from './routes.ts';
import { atRest } from './target.ts';

/**
 * Routes that take no tenant's credential: they have nothing of a tenant, or a third party has signed the request.
 * Slack's installation begins with a ticket and ends in the browser that began it (test/unit/slack/install.test.ts).
 */
const open: readonly string[] = [
  'GET /',
  // The token in the path is the credential, whichever caller sends it: test/e2e/later.test.ts.
  'POST /callbacks/{token}',
  'POST /callbacks/{token}/progress',
  'GET /openapi.json',
  // Names and versions of agents, as the index has them.
  'GET /a2a/{agent}/.well-known/agent-card.json',
  ...contract.hookRoutes,
  // The token of a link names its tenant, and a channel verifies its deliveries: mail.test.ts.
  ...contract.askRoutes,
  ...contract.channelRoutes,
  ...contract.slackRoutes,
  // A page that is the same for everyone, and the addresses that it calls: test/browser.
  ...contract.consoleRoutes,
];
const closed = httpRoutes.filter((route) => !open.includes(route));

/** Routes with something of a tenant in their path. */
const naming = closed.filter((route) => /\{(?!chatId|user|agent)/.test(route));
/** Routes that name nothing, or a person of the caller's own tenant: they act there. Each has its own test below. */
const ownOnly = [
  ...[
    'POST /sessions',
    'POST /sessions/import',
    'GET /sessions',
    'POST /tickets',
    'POST /keys',
    'GET /keys',
    'GET /callbacks/secrets',
  ],
  ...['GET /hooks/dead', 'POST /hooks/dead/redrive', 'GET /memories', 'DELETE /memories'],
  ...['GET /budgets', 'PUT /budgets', 'GET /history', 'DELETE /people/{user}', 'GET /people/{user}'],
  ...['POST /uploads', 'POST /schedules', 'GET /schedules'],
  ...['POST /mcp', 'GET /mcp', 'DELETE /mcp', 'POST /a2a/{agent}'],
  ...contract.aguiRoutes,
  ...contract.chatRoutes,
];
/** Routes for administrators of a tenant. */
const adminOnly = closed.filter((route) =>
  /\/(keys|hooks\/dead|callbacks\/secrets)|people|tenants|PUT \/budgets/.test(route),
);

/** A picture of the victim's. Its hash is known to readers of her messages. */
const picture = pngOf(3, 2);

const actions = SocketRequest.options.map(({ shape }) => shape.action.value);
/** Fields of an action besides `action` and `sessionId`. `undefined`: it names no session. */
const requests: Record<(typeof actions)[number], object | undefined> = {
  subscribe: { after: 0 },
  unsubscribe: {},
  cancel: {},
  decide: { id: 'w1', approved: true },
  ping: undefined,
};

let model: RuleModel;
let idp: OidcIssuer;
let world: Embedded;
/** Lets the victim's run end. */
let letGo = () => {};

/** The victim's things: a session with a run in the middle of a tool, an API key, and a memory about her. */
let victim: {
  tenant: string;
  sessionId: string;
  keyId: string;
  key: string;
  waitId: string;
  grantId: string;
  deliveryId: string;
  memoryId: string;
  scheduleId: string;
  hash: string;
  slot: string;
  user: string;
};
/** The state of her session before any attempt. */
let before: object;
const unknown = {
  tenant: 'nothere',
  sessionId: 'nothere',
  keyId: 'acme.aaaaaaaaaaaa',
  waitId: 'w0',
  grantId: 'g0',
  deliveryId: '0'.repeat(32),
  memoryId: `u${'0'.repeat(24)}`,
  scheduleId: 'sch_nothere',
  hash: '0'.repeat(64),
  slot: '0',
  user: 'user:unknown',
};

beforeAll(async () => {
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  idp = await startOidcIssuer();
  model = await ruleModel(({ turn, lastText }) => {
    if (turn === 0 && lastText.endsWith('secret plan')) return callTools(['look', { n: 1 }]);
    const { scope, fact } = /^remember as (?<scope>\w+): (?<fact>.*)/.exec(lastText)?.groups ?? {};
    return turn === 0 && scope ? callTools(['save_memory', { scope, fact }]) : sayText('Done.');
  });
  world = await embedded({
    model,
    tools: () => gate.then(() => ({ ok: true })),
    variables: {
      [env.OIDC_ISSUER]: idp.issuer,
      [env.OIDC_AUDIENCE]: idp.audience,
      // Without a limit, a budget cannot be set.
      [env.TENANT_STEPS_PER_DAY]: '1000000',
    },
  });
  const ada = await asUser('acme', 'ada');
  const parts = [
    { type: 'image', upload: await uploaded(ada) },
    { type: 'text', text: 'secret plan' },
  ];
  const session = await ada('POST', '/sessions', { agent: 'worker', message: parts });
  const hash = createHash('sha256').update(picture).digest('hex');
  const key = await ada('POST', '/keys', { name: 'victim' });
  expect([session.status, key.status]).toEqual([201, 201]);
  const { keyId, key: text } = key.body;
  const deliveryId = await deadDelivery('msg_1');
  const memoryId = await remembered(ada, 'user', 'She is allergic to peanuts.');
  await remembered(ada, 'tenant', 'The launch is on Tuesday.');
  const schedule = await ada('POST', '/schedules', bodies['POST /schedules']);
  const named = { waitId: 'w0', grantId: 'g0', scheduleId: schedule.body.scheduleId };
  victim = {
    tenant: 'acme',
    sessionId: session.body.sessionId,
    keyId,
    key: text,
    ...named,
    deliveryId,
    memoryId,
    hash,
    slot: '0',
    user: 'user:bob',
  };
  while (world.toolStarts.length === 0) await pause(20);
  before = await standing();
});
afterAll(async () => {
  letGo();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

/** Announces the picture, sends its bytes, and returns its id. */
async function uploaded(call: Call): Promise<string> {
  const announced = { name: 'plan.png', mediaType: 'image/png', bytes: picture.length };
  const { id, url, headers } = (await call('POST', '/uploads', announced)).body;
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(picture) })).status).toBe(200);
  return id;
}

/** Has an agent remember a fact. Returns its id. */
async function remembered(call: Call, scope: string, fact: string): Promise<string> {
  const message = `remember as ${scope}: ${fact}`;
  const { body } = await call('POST', '/sessions', { agent: 'rememberer', message });
  await atRest(call, body.sessionId);
  const { memories } = (await call('GET', `/memories?scope=${scope}`)).body;
  expect(memories).toMatchObject([{ text: fact, scope, by: ['user:ada'], sessionId: body.sessionId }]);
  return memories[0].id;
}

/** A delivery of the victim's at which its mapping throws. */
async function deadDelivery(id: string): Promise<string> {
  const payload = JSON.stringify({ secret: `plan of ${id}` });
  const at = new Date();
  const [secret = ''] = webhookSecrets.STANDARD_WEBHOOK_SECRET.split(' ');
  const { status, body } = await world.api('POST', '/hooks/broken', payload, {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, payload),
  });
  expect([status, body]).toEqual([202, { kept: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  return body.kept;
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

const as =
  (credential: string): Call =>
  (method, path, body, headers = {}) =>
    world.api(method, path, body, { authorization: `Bearer ${credential}`, ...headers });

/** A user of this tenant with every right that a JWT can give. */
const asUser = async (tenant: string, sub: string) =>
  as(await idp.token({ tenant, sub, roles: ['steploop-admin'] }));

/** Everything in the victim's session that would reveal another user's action. */
async function standing(): Promise<object> {
  const { body } = await (await asUser('acme', 'ada'))('GET', `/sessions/${victim.sessionId}`);
  expect(body).toMatchObject({ state: 'running', slots: 0 });
  const { state, slots, waiting, run, attempts } = body;
  return { state, slots, waiting, run, attempts };
}

/** Another tenant's credentials, of each kind. */
async function intruders(): Promise<[string, Call][]> {
  const eve = await asUser('globex', 'eve');
  const { body } = await eve('POST', '/keys', { name: 'intruder' });
  return [
    ['a JWT', eve],
    ['an API key', as(body.key)],
    ['the deployment’s token', world.api],
  ];
}

function ask(call: Call, route: string, ids: Readonly<Record<string, string>>): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const id = name === 'agent' ? 'worker' : ids[name === 'chatId' ? 'sessionId' : name];
    if (!id) throw new Error(`${route}: say in this test what {${name}} of a tenant is`);
    return id;
  });
  return call(method, filled + (queries[route] ?? ''), bodies[route]);
}

/** Everything that a client sees of a response. Its own request's id and date are not content. */
const seen = ({ status, headers, body }: Answer) => ({
  status,
  body,
  headers: Object.fromEntries([...headers].filter(([name]) => !/^(date|apigw-requestid)$/.test(name))),
});

test('every route of the contract is walked', () => {
  expect(naming.length).toBeGreaterThan(0);
  expect(closed.filter((route) => !naming.includes(route)).sort()).toEqual([...ownOnly].sort());
});

describe('with another tenant’s credential', () => {
  test.each(naming)('%s is 404, as for something that does not exist', async (route) => {
    for (const [kind, call] of await intruders()) {
      attempt('another tenant');
      const theirs = seen(await ask(call, route, victim));
      const nothing = seen(await ask(call, route, unknown));
      expect(theirs, kind).toEqual(nothing);
      // Keys may never administer, which is checked before anything is looked up.
      const mayNot = kind === 'an API key' && adminOnly.includes(route);
      expect(theirs, kind).toMatchObject({ status: mayNot ? 403 : 404 });
    }
  });

  test('GET /sessions lists none of the victim’s, and shows others in her tenant only their own', async () => {
    const idsOf = async (call: Call, query = '') =>
      (await call('GET', `/sessions${query}`)).body.sessions.map(
        ({ sessionId }: { sessionId: string }) => sessionId,
      );
    for (const [kind, call] of await intruders())
      for (const query of ['', '?q=secret', '?user=user:ada', '?state=running,completed', '?agent=worker']) {
        const { status, body } = await call('GET', `/sessions${query}`);
        // A user cannot filter by people whom they may not see.
        if (status === 403) expect(query, kind).toContain('user=');
        else expect(JSON.stringify(body), kind).not.toContain(victim.sessionId);
      }
    expect(await idsOf(await asUser('acme', 'ada'))).toContain(victim.sessionId);
    const bob = as(await idp.token({ tenant: 'acme', sub: 'bob' }));
    expect(await idsOf(bob)).toEqual([]);
    expect(await bob('GET', '/sessions?user=user:ada')).toMatchObject({ status: 403 });
    expect(await bob('PATCH', `/sessions/${victim.sessionId}`, { title: 'mine' })).toMatchObject({
      status: 404,
    });
    const operator = as(await idp.token({ tenant: 'acme', sub: 'olga', roles: ['steploop-operator'] }));
    expect(await idsOf(operator, '?user=user:ada')).toContain(victim.sessionId);
  });

  test('an agent as an MCP tool continues no session of the victim’s, whatever its client sends', async () => {
    const token = await idp.token({ tenant: 'globex', sub: 'eve', roles: ['steploop-admin'] });
    const client = apiAt({ httpUrl: world.stack.outputs.HttpUrl ?? '', token });
    const asking = { client, agent: 'worker', waitMs: 5_000, tell: () => undefined, canAsk: true };
    const { signal } = new AbortController();
    const inputResponses = { w0: { action: 'accept', content: { decision: 'approve' } } };
    const on = (session: string) => [
      askAgent(asking, { session }, { signal, requestState: () => undefined }),
      askAgent(asking, { session, message: 'Hi.' }, { signal, requestState: () => undefined }),
      askAgent(
        asking,
        { message: 'Hi.' },
        { signal, inputResponses, requestState: () => JSON.stringify({ session, after: 0 }) },
      ),
    ];
    const theirs = await Promise.all(on(victim.sessionId));
    expect(theirs).toEqual(await Promise.all(on('nothere')));
    for (const one of theirs) expect(one).toMatchObject({ isError: true });
  });

  test('A2A and MCP over HTTP find nothing of the victim’s, and her message ids begin tasks of the caller’s own', async () => {
    const says = (of: object) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'message/send' },
      params: {
        message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'Hi.' }], ...of },
        configuration: { blocking: false },
      },
    });
    const ada = await asUser('acme', 'ada');
    const hers = (await ada('POST', '/a2a/worker', says({ messageId: 'the-same' }))).body.result;
    const bob = as(await idp.token({ tenant: 'acme', sub: 'bob' }));
    for (const [kind, call] of [...(await intruders()), ['another user', bob] as const]) {
      const rpc = async (method: string, params: object) =>
        (await call('POST', '/a2a/worker', { jsonrpc: '2.0', id: 1, method, params })).body.error;
      attempt('another tenant');
      for (const method of ['tasks/get', 'tasks/cancel']) {
        const theirs = await rpc(method, { id: hers.id });
        expect(theirs, kind).toMatchObject({ code: -32001 });
        const nothing = await rpc(method, { id: 'nothere-0' });
        expect(JSON.stringify(theirs).replaceAll(hers.id, ''), kind).toBe(
          JSON.stringify(nothing).replaceAll('nothere-0', ''),
        );
      }
      for (const of of [{ taskId: hers.id }, { contextId: hers.contextId }]) {
        const answer = await call('POST', '/a2a/worker', says({ messageId: `of-${kind}`, ...of }));
        expect(answer.body.error, kind).toMatchObject({ code: expect.any(Number) });
      }
      const own = (await call('POST', '/a2a/worker', says({ messageId: 'the-same' }))).body.result;
      expect(own.contextId, kind).not.toBe(hers.contextId);
      const { body } = await call('POST', '/mcp', {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'ask_worker', arguments: { session: hers.contextId } },
      });
      expect(JSON.stringify(body ?? ''), kind).not.toContain('"state"');
    }
  });

  test('POST /sessions with the victim’s Idempotency-Key starts the caller’s own session', async () => {
    const once = { 'idempotency-key': 'the-same' };
    const ada = await asUser('acme', 'ada');
    const eve = await asUser('globex', 'eve');
    const hers = await ada('POST', '/sessions', { agent: 'worker', message: 'one' }, once);
    const mine = await eve('POST', '/sessions', { agent: 'worker', message: 'two' }, once);
    expect([hers.status, mine.status, mine.body.duplicate]).toEqual([201, 201, false]);
    expect(mine.body.sessionId).not.toBe(hers.body.sessionId);
    expect(await ada('GET', `/sessions/${mine.body.sessionId}`)).toMatchObject({ status: 404 });
  });

  test('POST /sessions/import with the victim’s Idempotency-Key makes the caller’s own session, which others of the tenant do not see', async () => {
    const once = { 'idempotency-key': 'the-same' };
    const body = bodies['POST /sessions/import'];
    const ada = await asUser('acme', 'ada');
    const eve = await asUser('globex', 'eve');
    const hers = await ada('POST', '/sessions/import', body, once);
    const mine = await eve('POST', '/sessions/import', body, once);
    expect([hers.status, mine.status, mine.body.duplicate]).toEqual([201, 201, false]);
    expect(mine.body.sessionId).not.toBe(hers.body.sessionId);
    const bob = as(await idp.token({ tenant: 'acme', sub: 'bob' }));
    expect(await bob('POST', '/sessions/import', body, once)).toMatchObject({ status: 422 });
    for (const call of [eve, bob])
      expect(await call('GET', `/sessions/${hers.body.sessionId}/export?format=openai`)).toMatchObject({
        status: 404,
      });
  });

  test('an upload of the victim’s can be sent only by the user who announced it', async () => {
    const ada = await asUser('acme', 'ada');
    const upload = await uploaded(ada);
    const { status } = await ada('GET', `/sessions/${victim.sessionId}/attachments/${victim.hash}`);
    expect(status).toBe(200);
    for (const [kind, call] of await intruders()) {
      const send = (id: string) =>
        call('POST', '/sessions', { agent: 'worker', message: [{ type: 'image', upload: id }] });
      const theirs = await send(upload);
      expect(theirs, kind).toMatchObject({ status: 404, body: { title: 'No such upload' } });
      expect(theirs.body.detail.replace(upload, ''), kind).toBe(
        (await send('u0')).body.detail.replace('u0', ''),
      );
    }
  });

  test('DELETE /people deletes nothing of a person of the same name in the victim’s tenant, and tells of no deletion there', async () => {
    for (const [kind, call] of await intruders()) {
      const { status, body } = await call('DELETE', '/people/user:ada');
      expect(status, kind).toBe(kind === 'an API key' ? 403 : 202);
      if (status === 202) expect(body.sessions, kind).toEqual({ left: 0, erased: 0 });
    }
    await world.stack.invoke('AgentsSweeperSweep', {});
    await world.stack.invoke('AgentsSweeperSweep', {});
    expect(await standing()).toEqual(before);
    const ada = await asUser('acme', 'ada');
    expect(await ada('GET', '/people/user:ada')).toMatchObject({ status: 404 });
    expect((await ada('GET', '/memories')).body.memories).toHaveLength(1);
  });

  test('GET /keys lists none of the victim’s, and POST /keys makes the caller’s own', async () => {
    const eve = await asUser('globex', 'eve');
    const made = await eve('POST', '/keys', { name: 'mine' });
    expect(made.body.keyId).toMatch(/^globex\./);
    const { body } = await eve('GET', '/keys');
    expect(body.keys.map(({ keyId }: { keyId: string }) => keyId.split('.')[0])).not.toContain('acme');
  });

  test('GET /budgets returns the caller’s own, and PUT /budgets changes no other', async () => {
    const ada = await asUser('acme', 'ada');
    const eve = await asUser('globex', 'eve');
    const hers = (await ada('GET', '/budgets')).body.own;
    const mine = await eve('PUT', '/budgets', { stepsPerDay: 999_999 });
    expect(mine.body).toMatchObject({ tenant: 'globex', own: { stepsPerDay: 999_999 } });
    expect((await ada('GET', '/budgets')).body).toMatchObject({ tenant: 'acme', own: hers });
    const bob = as(await idp.token({ tenant: 'acme', sub: 'bob' }));
    const operator = as(await idp.token({ tenant: 'acme', sub: 'olga', roles: ['steploop-operator'] }));
    expect(await bob('GET', '/budgets')).toMatchObject({ status: 403 });
    expect(await operator('GET', '/budgets')).toMatchObject({ status: 200 });
    expect(await operator('PUT', '/budgets', { stepsPerDay: 1 })).toMatchObject({ status: 403 });
  });

  test('GET /history returns the caller’s own days, to operators, and takes no absurd number of days', async () => {
    const eve = await asUser('globex', 'eve');
    const ada = await asUser('acme', 'ada');
    const hers = (await ada('GET', '/history?days=1')).body;
    const mine = (await eve('GET', '/history?days=1&tenant=acme')).status;
    expect(mine).toBe(400);
    expect(hers.total.steps).toBeGreaterThan(0);
    const theirs = (await eve('GET', '/history?days=90')).body;
    expect(JSON.stringify(theirs)).not.toContain(victim.sessionId);
    expect(theirs.total.steps).not.toBe(hers.total.steps);
    const bob = as(await idp.token({ tenant: 'acme', sub: 'bob' }));
    const operator = as(await idp.token({ tenant: 'acme', sub: 'olga', roles: ['steploop-operator'] }));
    expect(await bob('GET', '/history')).toMatchObject({ status: 403 });
    expect(await operator('GET', '/history')).toMatchObject({ status: 200 });
    // Each counts for a hundred requests, so the tenant's limit of a second may come in between.
    for (const days of ['0', '-1', '91', '1e9', 'NaN', 'Infinity', '1.5', '', '30;drop', '30&days=7', '[]'])
      await expect.poll(async () => (await ada('GET', `/history?days=${days}`)).status).toBe(400);
  });

  test('POST /agui shows nothing of the victim’s thread, and starts the caller’s own session under its name', async () => {
    const input = (threadId: string, ...messages: object[]) => ({ threadId, runId: 'r', messages });
    for (const [kind, call] of await intruders()) {
      const connect = async (threadId: string) => {
        const { status, body } = await call('POST', '/agui/connect', input(threadId));
        return { status, body: body.replaceAll(threadId, '') };
      };
      const theirs = await connect(victim.sessionId);
      expect(theirs, kind).toEqual(await connect(unknown.sessionId));
      expect(theirs, kind).toMatchObject({ status: 200, body: expect.stringContaining('"messages":[]') });
    }
    // A separate tenant, since tests below still look for the victim's session in globex.
    const eve = await asUser('initech', 'eve');
    const message = { id: 'm1', role: 'user', content: 'mine' };
    const mine = await eve('POST', '/agui/worker', input(victim.sessionId, message));
    expect(mine.body).toContain('RUN_FINISHED');
    const { body } = await eve('GET', `/sessions/${victim.sessionId}/messages`);
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(['mine', 'Done.']);
    // Callers of her own tenant do get it.
    const ada = await asUser('acme', 'ada');
    const { body: started } = await ada('POST', '/sessions', { agent: 'worker', message: 'hers' });
    await atRest(ada, started.sessionId);
    const shown = await ada('POST', '/agui/connect', input(started.sessionId));
    expect(shown.body).toContain('hers');
  });

  test('/chat shows nothing of the victim’s chat, and starts the caller’s own under its name', async () => {
    const body = (id: string, ...messages: object[]) => ({ id, messages });
    const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'mine' }] };
    const state = { answer: 'a', begun: true, splits: false, stepOpen: false };
    const from = { after: 0, state: { ...state, told: [], step: [], open: [], asked: [] } };
    for (const [kind, call] of await intruders()) {
      const all = async (id: string) => {
        const answers = [
          await call('GET', `/chat/${id}/stream`),
          await call('GET', `/chat/${id}/messages`),
          await call('POST', `/chat/${id}/stream`, from),
          await call('POST', `/chat/${id}/stop`),
          await call('POST', '/chat', body(id, { id: 'a', role: 'assistant', parts: [] })),
        ];
        return answers.map(({ status, body: told }) => [
          status,
          JSON.stringify(told ?? '').replaceAll(id, ''),
        ]);
      };
      const theirs = await all(victim.sessionId);
      expect(theirs, kind).toEqual(await all(unknown.sessionId));
      expect(
        theirs.map(([status]) => status),
        kind,
      ).toEqual([204, 200, 200, 404, 400]);
      expect(theirs[1], kind).toEqual([200, '{"messages":[]}']);
    }
    const eve = await asUser('umbrella', 'eve');
    const mine = await eve('POST', '/chat/worker', body(victim.sessionId, hello));
    expect(mine.body).toContain('"type":"finish"');
    const told = await eve('GET', `/chat/${victim.sessionId}/messages`);
    expect(told.body.messages).toMatchObject([{ parts: [{ text: 'mine' }] }, { role: 'assistant' }]);
    // Callers of her own tenant do get it. Without a credential no caller does.
    const ada = await asUser('acme', 'ada');
    expect((await ada('GET', `/chat/${victim.sessionId}/messages`)).body.messages).not.toEqual([]);
    for (const route of contract.chatRoutes) {
      const [method = '', path = ''] = route.replace('{chatId}', victim.sessionId).split(' ');
      const answer = await world.api(method, path, undefined, { authorization: 'Bearer x' });
      expect(answer, route).toMatchObject({ status: 401, body: { title: 'Not authorized' } });
    }
  });

  test('GET /callbacks/secrets returns the caller’s own, which cannot forge a callback of the victim’s', async () => {
    const secretsOf = async (tenant: string): Promise<string[]> => {
      const { status, body } = await (await asUser(tenant, 'ada'))('GET', '/callbacks/secrets');
      expect([status, body.secrets.length]).toEqual([200, 1]);
      return body.secrets;
    };
    const [hers, mine] = [await secretsOf('acme'), await secretsOf('globex')];
    expect(mine).not.toEqual(hers);
    expect((await world.api('GET', '/callbacks/secrets')).body.secrets).not.toEqual(hers);
  });

  test('GET /hooks/dead lists none of the victim’s, and POST /hooks/dead/redrive redrives none', async () => {
    const eve = await asUser('globex', 'eve');
    expect((await eve('GET', '/hooks/dead')).body).toEqual({ deliveries: [] });
    expect((await eve('POST', '/hooks/dead/redrive')).body).toEqual({ redriven: 0, failed: [] });
    const ada = await asUser('acme', 'ada');
    const { body } = await ada('GET', '/hooks/dead');
    expect(body.deliveries).toMatchObject([
      { id: victim.deliveryId, reason: 'mapping_threw', source: 'broken' },
    ]);
    expect((await ada('GET', `/hooks/dead/${victim.deliveryId}`)).body).toMatchObject({
      body: '{"secret":"plan of msg_1"}',
    });
    const again = {
      id: victim.deliveryId,
      reason: 'mapping_threw',
      detail: expect.stringContaining('burst'),
    };
    expect((await ada('POST', '/hooks/dead/redrive')).body).toEqual({ redriven: 0, failed: [again] });
  });

  test('GET /memories lists nothing of the victim’s, and DELETE /memories deletes nothing of hers', async () => {
    for (const [kind, call] of await intruders())
      for (const scope of ['user', 'tenant']) {
        const mayNot = kind === 'an API key' && scope === 'tenant';
        expect(await call('GET', `/memories?scope=${scope}`), kind).toMatchObject(
          mayNot ? { status: 403 } : { status: 200, body: { memories: [], of: 0 } },
        );
        expect(await call('DELETE', `/memories?scope=${scope}`), kind).toMatchObject(
          mayNot ? { status: 403 } : { status: 200, body: { forgotten: 0 } },
        );
      }
    const eve = await asUser('globex', 'eve');
    expect((await eve('DELETE', '/memories?scope=user&user=user%3Aada')).body).toEqual({ forgotten: 0 });
    // In her own tenant too, memories about her belong to her alone.
    const bob = as(await idp.token({ tenant: 'acme', sub: 'bob' }));
    expect((await bob('GET', '/memories')).body).toMatchObject({ memories: [], of: 0 });
    expect(await bob('DELETE', `/memories/${victim.memoryId}`)).toMatchObject({ status: 404 });
    expect(await bob('DELETE', '/memories?scope=user&user=user%3Aada')).toMatchObject({ status: 403 });
    const ada = await asUser('acme', 'ada');
    expect((await ada('GET', '/memories?q=allergies')).body.memories).toHaveLength(1);
    expect((await ada('GET', '/memories?scope=tenant')).body.memories).toHaveLength(1);
  });

  test('nothing of the victim’s has changed', async () => {
    expect(await standing()).toEqual(before);
    expect(await as(victim.key)('GET', `/sessions/${victim.sessionId}`)).toMatchObject({ status: 200 });
  });
});

/** A WebSocket with these credentials, which answers each message once. */
async function connect(call: Call) {
  const { body } = await call('POST', '/tickets');
  const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const heard: string[] = [];
  let tell = () => {};
  socket.onmessage = ({ data }) => {
    heard.push(String(data));
    tell();
  };
  return {
    heard,
    async ask(request: object) {
      const before = heard.length;
      socket.send(JSON.stringify(request));
      const told = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const late = pause(20_000, undefined, { ref: false });
      if (heard.length === before) await Promise.race([told, late]);
      if (heard.length === before) throw new Error(`no answer to ${JSON.stringify(request)}`);
      return JSON.parse(heard[before] ?? '');
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

describe('of the same tenant, without a role', () => {
  const bobs = async () => as(await idp.token({ tenant: 'acme', sub: 'bob' }));

  test.each(naming.filter((route) => /sessionId/.test(route)))(
    '%s of another user is 404, as for something that does not exist',
    async (route) => {
      attempt('another user of the tenant');
      const bob = await bobs();
      const theirs = seen(await ask(bob, route, victim));
      expect(theirs).toEqual(seen(await ask(bob, route, unknown)));
      expect(theirs).toMatchObject({ status: 404 });
    },
  );

  test.each(actions.filter((action) => requests[action]))(
    '%s over the WebSocket is 404, as for something that does not exist',
    async (action) => {
      attempt('another user of the tenant');
      using socket = await connect(await bobs());
      const about = (sessionId: string) => socket.ask({ action, sessionId, ...requests[action] });
      const theirs = await about(victim.sessionId);
      expect(theirs).toMatchObject({ type: 'error', problem: { status: 404 } });
      expect({ ...theirs, sessionId: '' }).toEqual({ ...(await about(unknown.sessionId)), sessionId: '' });
    },
  );

  test('AG-UI and chat hide it as well; a user’s own session is there, and an operator sees all', async () => {
    const bob = await bobs();
    attempt('another user of the tenant', 2 + contract.chatRoutes.length);
    const input = {
      threadId: victim.sessionId,
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: 'x' }],
    };
    expect(await bob('POST', '/agui/worker', input)).toMatchObject({ status: 404 });
    expect(await bob('POST', '/agui/connect', input)).toMatchObject({ status: 404 });
    for (const route of contract.chatRoutes) {
      const [method = '', path = ''] = route.replace('{chatId}', victim.sessionId).split(' ');
      const said = {
        id: victim.sessionId,
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
      };
      expect(await bob(method, path, method === 'POST' ? said : undefined), route).toMatchObject({
        status: 404,
      });
    }
    const { body } = await bob('POST', '/sessions', { agent: 'worker', message: 'mine' });
    expect(await bob('GET', `/sessions/${body.sessionId}`)).toMatchObject({ status: 200 });
    const operator = as(await idp.token({ tenant: 'acme', sub: 'olga', roles: ['steploop-operator'] }));
    expect(await operator('GET', `/sessions/${body.sessionId}`)).toMatchObject({ status: 200 });
    expect(await operator('GET', `/sessions/${victim.sessionId}`)).toMatchObject({ status: 200 });
    expect(await operator('GET', '/keys')).toMatchObject({ status: 403 });
  });

  test('nothing of the victim’s has changed', async () => {
    expect(await standing()).toEqual(before);
  });
});

describe('over another tenant’s WebSocket', () => {
  test('every action of the contract is walked', () => {
    expect(Object.keys(requests).sort()).toEqual([...actions].sort());
  });

  test.each(actions.filter((action) => requests[action]))(
    '%s is 404, as for something that does not exist',
    async (action) => {
      for (const [kind, call] of await intruders()) {
        using socket = await connect(call);
        attempt('another tenant');
        const about = (sessionId: string) => socket.ask({ action, sessionId, ...requests[action] });
        const theirs = await about(victim.sessionId);
        const nothing = await about(unknown.sessionId);
        expect(theirs, kind).toMatchObject({ type: 'error', problem: { status: 404 } });
        expect({ ...theirs, sessionId: '' }, kind).toEqual({ ...nothing, sessionId: '' });
        // One answer each, and no frame of the session that was asked for.
        expect(await socket.ask({ action: 'ping' })).toEqual({ type: 'pong' });
        expect(socket.heard).toHaveLength(3);
      }
    },
  );

  test('nothing of the victim’s has changed', async () => {
    expect(await standing()).toEqual(before);
  });
});

describe('with the tenant’s own credentials', () => {
  test.each(actions.filter((action) => requests[action]))(
    '%s succeeds, so the 404 means something',
    async (action) => {
      using socket = await connect(as(victim.key));
      const about = (sessionId: string) => socket.ask({ action, sessionId, ...requests[action] });
      const nothing = await about(unknown.sessionId);
      // A request that needs no answer gets none, so the ping's answer comes first.
      const own = await Promise.race([about(victim.sessionId), socket.ask({ action: 'ping' })]);
      expect({ ...own, sessionId: '' }).not.toEqual({ ...nothing, sessionId: '' });
    },
  );

  const deletes = (route: string) => Number(/^DELETE \/(sessions|schedules)\/\{\w+\}$/.test(route));
  // The routes that delete the session and the schedule come last.
  const inOrder = naming.toSorted((a, b) => deletes(a) - deletes(b));
  test.each(inOrder)('%s succeeds, so the 404 means something', async (route) => {
    const ada = await asUser('acme', 'ada');
    const own = seen(await ask(ada, route, victim));
    expect(own).not.toEqual(seen(await ask(ada, route, unknown)));
    expect(own.status).toBeLessThan(500);
  });
});

describe('authentication', () => {
  test.each(closed)('%s without a credential is 401, and with an invented one', async (route) => {
    for (const authorization of ['', 'Bearer x', `Bearer sl_acme.aaaaaaaaaaaa_${'0'.repeat(64)}`]) {
      attempt('forged credentials');
      const answer = await ask(
        (...call) => world.api(call[0], call[1], call[2], { authorization }),
        route,
        victim,
      );
      expect(answer).toMatchObject({ status: 401, body: { title: 'Not authorized' } });
    }
  });

  test.each(closed.filter((route) => route.startsWith('POST')))(
    '%s with a body that is too large is 413',
    async (route) => {
      attempt('malformed and oversized input');
      const most: Record<string, number> = {
        'POST /sessions/import': MAX_IMPORT_BYTES,
      };
      const bytes = /^POST \/(agui|chat)/.test(route) ? MAX_RUN_INPUT_BYTES : (most[route] ?? 600_000);
      const call: Call = (method, path) => world.api(method, path, JSON.stringify({ x: 'x'.repeat(bytes) }));
      expect(await ask(call, route, victim)).toMatchObject({
        status: 413,
        body: { title: 'Body too large' },
      });
    },
  );

  test('a WebSocket message of more than a frame is 413', async () => {
    const { body } = await world.api('POST', '/tickets');
    const socket = new WebSocketOfFrames(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
    await once(socket, 'open');
    // API Gateway closes on one frame of more than 32 KB, but passes on a message of several frames.
    socket.send(`{"action":"ping","padding":"${'x'.repeat(20_000)}`, { fin: false });
    socket.send(`${'x'.repeat(20_000)}"}`, { fin: true });
    const [answer] = await once(socket, 'message');
    expect(JSON.parse(String(answer))).toMatchObject({ type: 'error', problem: { status: 413 } });
    socket.close();
  });

  test('a JWT without a tenant is 403, and a key of the tenant works without the issuer', async () => {
    const call = as(await idp.token({ tenant: undefined }));
    expect(await call('GET', '/sessions/x')).toMatchObject({ status: 403, body: { title: 'No tenant' } });
    expect(await as(await idp.token({ aud: 'other' }))('GET', '/sessions/x')).toMatchObject({ status: 401 });
  });

  test.each(adminOnly)('%s is refused to a user without the role, and to an API key', async (route) => {
    const { body } = await (await asUser('acme', 'ada'))('POST', '/keys', { name: 'robot' });
    for (const call of [as(await idp.token({ roles: ['reader'] })), as(body.key)]) {
      expect(await ask(call, route, victim)).toMatchObject({ status: 403, body: { title: 'Not allowed' } });
    }
  });

  test('a revoked key is refused at once, also over the socket that it opened', async () => {
    const ada = await asUser('acme', 'ada');
    const { body } = await ada('POST', '/keys', { name: 'short-lived' });
    const { body: started } = await ada('POST', '/sessions', { agent: 'worker', message: 'hello' });
    const robot = as(body.key);
    expect(body.key).toMatch(/^sl_acme\./);
    expect(await robot('GET', `/sessions/${started.sessionId}`)).toMatchObject({ status: 200 });
    using socket = await connect(robot);
    const subscribe = { action: 'subscribe', sessionId: started.sessionId };
    expect(await socket.ask(subscribe)).not.toMatchObject({ type: 'error' });

    const revoked = await ada('POST', `/keys/${body.keyId}/revoke`);
    expect(revoked).toMatchObject({
      status: 200,
      body: { keyId: body.keyId, revokedAt: expect.any(String) },
    });
    expect(await robot('GET', `/sessions/${started.sessionId}`)).toMatchObject({ status: 401 });
    expect(await robot('POST', '/tickets')).toMatchObject({ status: 401 });
    using again = await connect(ada);
    await again.ask({ action: 'ping' });
    const { body: keys } = await ada('GET', '/keys');
    const listed = keys.keys.find(({ keyId }: { keyId: string }) => keyId === body.keyId);
    expect(listed).toMatchObject({
      name: 'short-lived',
      createdBy: 'user:ada',
      revokedAt: expect.any(String),
    });
    const secret = createHash('sha256').update(body.key.slice(-64)).digest('hex');
    expect(JSON.stringify(keys)).not.toContain(secret);
    const cancel = { action: 'cancel', sessionId: started.sessionId };
    for (;;) {
      const notice = await socket.ask(cancel);
      if (!notice.type) continue; // a frame of the session that was already on its way
      expect(notice).toMatchObject({ type: 'error', problem: { status: 401 } });
      break;
    }
  });
});

countAttempts(import.meta.url, 'another tenant', 'another user of the tenant');
