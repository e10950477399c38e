import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { addMessage, createSession } from '../../../functions/routes/arrivals.ts';
import { linkAttachment } from '../../../functions/routes/attachments.ts';
import { editMessage, forkSession, listForks } from '../../../functions/routes/branches.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { listFiles } from '../../../functions/routes/files.ts';
import { readMessages, readSession } from '../../../functions/routes/reads.ts';
import { retrySession } from '../../../functions/routes/retry.ts';
import { listSteps } from '../../../functions/routes/steps.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { keepSent } from '../../../shared/agent/media/keep.ts';
import { MAX_FORKS } from '../../../shared/agent/ports/sessions.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { ForkedBody, ForksBody, SessionBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { createLinks } from '../../../shared/memory/links.ts';
import { createOutbound } from '../../../shared/memory/outbound.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { pngOf } from '../../support/images.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-operator'] };
const bob: Identity = { ...ada, subject: 'user:bob', roles: [] };

const write = defineTool({
  name: 'write',
  description: 'Writes a file.',
  effect: 'idempotent',
  input: z.object({ path: z.string(), text: z.string() }),
  run: async ({ path, text }, { services }) => {
    await services.workspace.write(path, text);
    return 'written';
  },
});
const agent = defineAgent({ name: 'test', version: '1', model: { name: 'm' }, system: 's', tools: [write] });

let model = scriptedModel();
let world: AgentWorld;
let context: RouteContext;
function begin(...script: Parameters<typeof scriptedModel>) {
  model = scriptedModel(...script);
  world = agentWorld(agent, model);
  context = {
    io: { ...world, outbound: createOutbound() },
    ...memoryEdge(world),
    links: createLinks(world.blobs, world.clock),
    agents: [agent],
    webhooks: {},
    priceOf: async () => undefined,
  } as RouteContext;
}
beforeEach(() => begin());

interface How {
  readonly of?: string;
  readonly as?: Identity;
  readonly key?: string;
  readonly query?: Record<string, string>;
  readonly path?: Record<string, string>;
}

/** The result of a route, or its refusal. */
async function ask(route: Route, body?: unknown, { of = 's1', as = ada, key = '', query, path }: How = {}) {
  const event = {
    headers: key ? { 'idempotency-key': key } : {},
    pathParameters: { sessionId: of, ...path },
    queryStringParameters: query,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  } as unknown as APIGatewayProxyEventV2;
  try {
    const { statusCode, body: said } = await route(event, as, context);
    return { status: statusCode, ...JSON.parse(said ?? '') };
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}

const messagesOf = async (of: string) => (await ask(readMessages, undefined, { of })).messages;
const textsOf = async (of: string) =>
  (await messagesOf(of)).map(
    ({ role, content }: { role: string; content?: string }) => `${role}: ${content}`,
  );
const asked = () => JSON.stringify(model.requests.at(-1)?.messages);

test('a fork has the conversation up to a step, and then diverges; neither changes the other', async () => {
  begin(says('One.'), says('Two.'), says('Another two.'), says('Three.'));
  for (const text of ['first', 'second']) {
    await world.say(text);
    await world.settle();
  }
  const before = await world.slots();
  const { status, ...fork } = await ask(forkSession, { slot: 0, message: 'other second' });
  expect(status).toBe(201);
  expect(ForkedBody.parse(fork).forkOf).toEqual({ sessionId: 's1', below: 1 });
  await world.settle();
  expect(await textsOf(fork.sessionId)).toEqual([
    'user: first',
    'assistant: One.',
    'user: other second',
    'assistant: Another two.',
  ]);
  // Byte for byte the earlier request: only the new words differ.
  const [, second, other] = model.requests.map(({ messages }) => messages);
  expect(other?.slice(0, 2)).toEqual(second?.slice(0, 2));
  await world.say('third');
  await world.settle();
  expect((await world.slots()).slice(0, before.length)).toEqual(before);
  expect(await textsOf('s1')).not.toContain('user: other second');
  // It owns only its own slots: shared ones stay in the original session.
  expect([...(world.table.slots.get(`acme#${fork.sessionId}`)?.keys() ?? [])]).toEqual([1]);
  const info = SessionBody.parse(
    await ask(readSession, undefined, { of: fork.sessionId }).then(({ status: _, ...body }) => body),
  );
  expect([info.forkOf, info.slots]).toEqual([{ sessionId: 's1', below: 1 }, 2]);
  expect(info.totals.input).toBeLessThan((await world.view()).session.totals.input);
  const { steps } = await ask(listSteps, undefined, { of: fork.sessionId });
  expect(steps.map(({ slots }: { slots: number[] }) => slots)).toEqual([[0], [1]]);
});

test("a fork of a fork shares the slots of both; one that ends earlier shares only the first session's", async () => {
  begin(says('One.'), says('Two.'), says('B two.'), says('C three.'), says('D.'));
  await world.say('a1');
  await world.settle();
  await world.say('a2');
  await world.settle();
  const b = await ask(forkSession, { slot: 0, message: 'b2' });
  await world.settle();
  const c = await ask(forkSession, { message: 'c3' }, { of: b.sessionId });
  await world.settle();
  expect(await textsOf(c.sessionId)).toEqual([
    'user: a1',
    'assistant: One.',
    'user: b2',
    'assistant: B two.',
    'user: c3',
    'assistant: C three.',
  ]);
  const d = await ask(forkSession, { slot: 0, message: 'd2' }, { of: c.sessionId });
  const read = async (sessionId: string) => world.sessions.read({ tenant: 'acme', sessionId });
  const origins = async (id: string) => (await read(id))?.session.origin?.map(({ sessionId }) => sessionId);
  expect(await origins(c.sessionId)).toEqual(['s1', b.sessionId]);
  expect(await origins(d.sessionId)).toEqual(['s1']);
  expect((await world.view()).forks).toEqual([b.sessionId, d.sessionId].sort());
  expect((await read(b.sessionId))?.forks).toEqual([c.sessionId]);
});

test('an idle fork is listed with its title and origin, and waits for its first message', async () => {
  begin(says('One.'), says('Two.'));
  await world.say('the matter');
  await world.settle();
  const fork = await ask(forkSession);
  expect(await world.settle()).toBe(0);
  const listed = await world.listings.read({ tenant: 'acme', sessionId: fork.sessionId });
  expect(listed).toMatchObject({ title: 'the matter', state: 'idle', forkOf: { sessionId: 's1', below: 1 } });
  const named = await ask(forkSession, { title: 'Plan B' });
  const { status, ...forks } = await ask(listForks);
  expect([status, ForksBody.parse(forks).sessions.map(({ title }) => title)]).toEqual([
    200,
    ['the matter', 'Plan B'],
  ]);
  expect(named.forkOf).toEqual(fork.forkOf);
});

test('users see their own forks, and users who may see all sessions see all of them', async () => {
  begin(says('One.'));
  await world.say('hello');
  await world.settle();
  const own = await ask(forkSession, undefined, { as: bob });
  await ask(forkSession, undefined, { as: ada });
  const idsAs = async (as: Identity) =>
    (await ask(listForks, undefined, { as })).sessions.map(
      ({ sessionId }: { sessionId: string }) => sessionId,
    );
  expect(await idsAs(bob)).toEqual([own.sessionId]);
  expect(await idsAs(ada)).toHaveLength(2);
  const view = await world.sessions.read({ tenant: 'acme', sessionId: own.sessionId });
  expect(view?.session.user).toBe('user:bob');
});

test('the same Idempotency-Key returns the same fork, and is refused for a different one', async () => {
  begin(says('One.'), says('Two.'), says('Three.'));
  for (const text of ['a', 'b']) {
    await world.say(text);
    await world.settle();
  }
  const first = await ask(forkSession, { slot: 0, message: 'c' }, { key: 'k' });
  expect(await ask(forkSession, { slot: 0, message: 'c' }, { key: 'k' })).toEqual(first);
  await world.settle();
  expect(await ask(forkSession, { slot: 0, message: 'c' }, { key: 'k' })).toEqual(first);
  expect(await ask(forkSession, { slot: 1, message: 'c' }, { key: 'k' })).toMatchObject({ status: 422 });
  expect(await ask(forkSession, { slot: 0, message: 'd' }, { key: 'k' })).toMatchObject({ status: 422 });
  const named = { slot: 0, title: 'Plan B' };
  const other = await ask(forkSession, named, { key: 'k2' });
  expect(await ask(forkSession, named, { key: 'k2' })).toEqual(other);
  for (const title of ['Plan C', undefined])
    expect(await ask(forkSession, { slot: 0, title }, { key: 'k2' })).toMatchObject({ status: 422 });
  expect(model.requests).toHaveLength(3);
});

test('mode, title and metadata are part of what an Idempotency-Key stands for', async () => {
  begin(says('One.'));
  const start = { agent: 'test', message: 'hello', mode: 'act', title: 'T', metadata: { a: '1', b: '2' } };
  const first = await ask(createSession, start, { key: 'k' });
  const again = { ...start, metadata: { b: '2', a: '1' } };
  expect(await ask(createSession, again, { key: 'k' })).toMatchObject({
    sessionId: first.sessionId,
    duplicate: true,
  });
  for (const change of [
    { mode: 'plan' },
    { mode: undefined },
    { title: 'U' },
    { title: undefined },
    { metadata: { a: '1' } },
    { metadata: undefined },
  ])
    expect(await ask(createSession, { ...start, ...change }, { key: 'k' })).toMatchObject({ status: 422 });

  const of = first.sessionId;
  const said = { message: 'on', mode: 'plan' };
  expect(await ask(addMessage, said, { of, key: 'm' })).toMatchObject({ status: 202, duplicate: false });
  expect(await ask(addMessage, said, { of, key: 'm' })).toMatchObject({ status: 202, duplicate: true });
  expect(await ask(addMessage, { message: 'on' }, { of, key: 'm' })).toMatchObject({ status: 422 });
});

test('a key that another user used returns neither their session nor their fork', async () => {
  begin(says('One.'));
  const eve: Identity = { ...bob, subject: 'user:eve' };
  const start = { agent: 'test', message: 'hello' };
  const first = await ask(createSession, start, { as: bob, key: 'k' });
  expect(await ask(createSession, start, { as: eve, key: 'k' })).toMatchObject({ status: 422 });
  expect(await ask(createSession, start, { as: bob, key: 'k' })).toMatchObject({ duplicate: true });
  expect(await ask(createSession, start, { as: ada, key: 'k' })).toMatchObject({ duplicate: true });
  await world.settle();
  const of = first.sessionId;
  const theirs = await ask(forkSession, undefined, { as: bob, of, key: 'k' });
  expect((await ask(forkSession, undefined, { as: ada, of, key: 'k' })).sessionId).not.toBe(theirs.sessionId);
});

test('only a complete step can be forked from, and only a limited number of times', async () => {
  begin(calls(['write', { path: 'a', text: '1' }]), says('Done.'));
  await world.say('go');
  await world.settle();
  expect(await ask(forkSession, { slot: 9 })).toMatchObject({ status: 404, title: 'No such step' });
  expect((await ask(forkSession, { slot: 0 })).forkOf.below).toBe(2);
  expect((await ask(forkSession, { slot: 1 })).forkOf.below).toBe(2);
  expect(await ask(forkSession, { slot: 0 }, { of: 's9' })).toMatchObject({ status: 404 });
  for (let i = 2; i < MAX_FORKS; i++) await world.sessions.addFork(world.key, `other${i}`);
  expect(await ask(forkSession)).toMatchObject({ status: 409, title: 'Too many forks' });
});

test("a fork has the files of that step, and links to the other session's attachments", async () => {
  const go = (text: string) => calls(['write', { path: 'plan.md', text }]);
  begin(go('one'), says('A.'), go('two'), says('B.'), go('three'), says('C.'));
  for (const text of ['first', 'second']) {
    await world.say(text);
    await world.settle();
  }
  const fork = await ask(forkSession, { slot: 2, message: 'go on' });
  const before = await ask(listFiles, undefined, { of: fork.sessionId, query: { path: 'plan.md' } });
  const { body } = await fetchLink(before.files[0].url);
  expect(body).toBe('one');
  await world.settle();
  const after = await ask(listFiles, undefined, { of: fork.sessionId, query: { path: 'plan.md' } });
  expect((await fetchLink(after.files[0].url)).body).toBe('three');
  const there = await ask(listFiles, undefined, { query: { path: 'plan.md' } });
  expect((await fetchLink(there.files[0].url)).body).toBe('two');
  // A reader of the earlier files finds them, whichever session holds the slot.
  const old = await ask(listFiles, undefined, { of: fork.sessionId, query: { slot: '1', path: 'plan.md' } });
  expect((await fetchLink(old.files[0].url)).body).toBe('one');
});

async function fetchLink(url: string) {
  const links = context.links as ReturnType<typeof createLinks>;
  const response = await links.fetch(url, { method: 'GET' });
  return { body: await response.text() };
}

test('an edited message keeps its attachments and the messages sent along with it', async () => {
  begin(says('One.'), says('Two.'), says('Other two.'));
  await world.say('first', 'e1');
  await world.settle();
  const sent = await keepSent({ name: 'a.png', as: 'image', bytes: pngOf(2, 2) }, world.key, 0, world.blobs);
  if (typeof sent === 'string') throw new Error(sent);
  const { accept } = await import('../../../shared/agent/entrypoints/accept.ts');
  await accept(world.key, { eventId: 'e2', text: 'look at this', attachments: [sent] }, world);
  await world.say('and be quick', 'e3');
  await world.settle();
  const edited = await ask(editMessage, { messageId: 'user-e2', message: 'look closely' });
  expect([edited.status, edited.forkOf]).toEqual([201, { sessionId: 's1', below: 1 }]);
  await world.settle();
  expect(await textsOf(edited.sessionId)).toEqual([
    'user: first',
    'assistant: One.',
    'user: look closely',
    'user: and be quick',
    'assistant: Other two.',
  ]);
  const [, , message] = await messagesOf(edited.sessionId);
  expect(message.attachments).toMatchObject([{ hash: sent.hash, name: 'a.png' }]);
  const link = await ask(linkAttachment, undefined, { of: edited.sessionId, path: { hash: sent.hash } });
  expect(link.status).toBe(200);
  // The old branch is kept, whole.
  expect(await textsOf('s1')).toContain('user: look at this');
});

test('the first message is edited in a session that shares only the attachments', async () => {
  begin(says('One.'), says('Other one.'), says('Third one.'));
  const { accept, openSession } = await import('../../../shared/agent/entrypoints/accept.ts');
  await openSession(world.key, agent, async () => undefined, world);
  const sent = await keepSent({ name: 'a.png', as: 'image', bytes: pngOf(2, 2) }, world.key, 0, world.blobs);
  if (typeof sent === 'string') throw new Error(sent);
  await accept(world.key, { eventId: 'e1', text: 'see', attachments: [sent] }, world);
  await world.settle();
  const edited = await ask(editMessage, { messageId: 'user-e1', message: 'see here' });
  await world.settle();
  expect(await textsOf(edited.sessionId)).toEqual(['user: see here', 'assistant: Other one.']);
  expect(asked()).toContain('see here');
  expect((await world.view()).forks).toEqual([edited.sessionId]);
  // The same once more, in a fork with an image of another session.
  const again = await ask(
    editMessage,
    { messageId: (await messagesOf(edited.sessionId))[0].id, message: 'look' },
    { of: edited.sessionId },
  );
  await world.settle();
  const link = await ask(linkAttachment, undefined, { of: again.sessionId, path: { hash: sent.hash } });
  expect([link.status, await textsOf(again.sessionId)]).toEqual([
    200,
    ['user: look', 'assistant: Third one.'],
  ]);
});

test('editing a message of the agent, or an unknown one, is refused', async () => {
  begin(says('One.'));
  await world.say('first', 'e1');
  await world.settle();
  const [, answer] = await messagesOf('s1');
  for (const messageId of [answer.id, 'user-e9', 'e1'])
    expect(await ask(editMessage, { messageId, message: 'x' })).toMatchObject({ title: 'No such message' });
});

test('a failed run is retried where it stopped: the model is told, and users see nothing new', async () => {
  const refused: ModelOutcome = {
    kind: 'failed',
    failure: { kind: 'fatal', code: 'authentication_error', message: 'invalid x-api-key' },
  };
  begin(calls(['write', { path: 'a', text: '1' }]), refused, says('Done.'));
  await world.say('go');
  await world.settle();
  expect((await world.view()).session.state).toBe('error');
  const shown = await messagesOf('s1');
  expect(await ask(retrySession, undefined, { key: 'k' })).toMatchObject({ status: 202, duplicate: false });
  expect(await ask(retrySession, undefined, { key: 'k' })).toMatchObject({ status: 202, duplicate: true });
  await world.settle();
  const { session } = await world.view();
  expect([session.state, session.run?.steps]).toEqual(['completed', 1]);
  expect(asked()).toContain('[steploop] Your last run ended before it was done (provider_error)');
  expect(await messagesOf('s1')).toEqual([...shown, expect.objectContaining({ role: 'assistant' })]);
  expect(await ask(retrySession, undefined, { key: 'k' })).toMatchObject({ status: 202, duplicate: true });
  expect(await ask(retrySession)).toMatchObject({ status: 409, title: 'Nothing to retry' });
});

test('there is nothing to retry while a run is going, or before the first one', async () => {
  begin(says('One.'));
  await world.say('go');
  expect(await ask(retrySession)).toMatchObject({
    status: 409,
    detail: expect.stringContaining('A run is going'),
  });
});
