import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import type { Answer } from '../../../functions/middleware/stream-response.ts';
import { serveChat } from '../../../functions/routes/chat.ts';
import type { PageContext } from '../../../functions/routes/page-arrivals.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const person = (name: string): Identity => ({
  tenant: 'acme',
  subject: `user:${name}`,
  kind: 'jwt',
  roles: [],
});
const ada = person('ada');
const agent = defineAgent({ name: 'worker', version: '1', model: { name: 'm' }, system: 's', tools: [] });

function context() {
  const io = memoryWorld();
  const decide = vi.fn<PageContext['decide']>().mockResolvedValue();
  const more = { watchMs: 120_000, decide, agents: [agent], priceOf: async () => undefined };
  return { io, ...memoryEdge(io), ...more };
}
type Context = ReturnType<typeof context>;

function ask(it: Context, method: string, rawPath: string, body?: object, who = ada): Promise<Answer> {
  const event = { rawPath, headers: {}, isBase64Encoded: false, requestContext: { http: { method } } };
  const sent = { ...event, ...(body && { body: JSON.stringify(body) }) };
  return serveChat(sent as unknown as APIGatewayProxyEventV2, who, 0, it);
}
const user = (text: string, id = 'm1', more: object = {}) => ({
  ...{ id: 'c1', messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] },
  ...more,
});
const refused = async (answer: Promise<Answer>) =>
  answer.then(
    () => undefined,
    ({ problem }) => [problem.status, problem.title],
  );
const key = { tenant: 'acme', sessionId: 'c1' };

describe('POST /chat', () => {
  test('accepts the last message under its id, and ignores the others', async () => {
    const it = context();
    const older = { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'old' }] };
    const { messages } = user('new');
    await ask(it, 'POST', '/chat/worker', { id: 'c1', messages: [older, ...messages] });
    const view = await it.io.sessions.read(key);
    expect(await it.io.inbox.read(key, view?.fence.inbox ?? [])).toMatchObject([
      { text: 'new', caller: { channel: 'chat' } },
    ]);
  });

  test.each<[string, object, [number, string]]>([
    ['another text under the id of a message', user('other'), [422, 'Message id reused']],
    [
      'an edited message of the history',
      user('other', '', { messageId: '' }),
      [409, 'A sent message cannot be changed'],
    ],
    [
      'nothing new',
      { id: 'c1', messages: [{ id: 'a', role: 'assistant', parts: [] }] },
      [400, 'Nothing new'],
    ],
    ['an empty message', user(' ', 'm2'), [400, 'Unusable message']],
    [
      'a system message',
      { id: 'c1', messages: [{ id: 's', role: 'system', parts: [] }] },
      [400, 'Unusable message'],
    ],
    ['a body without messages', { id: 'c1', messages: [] }, [400, 'Invalid body']],
  ])('refuses %s', async (_what, body, problem) => {
    const it = context();
    await ask(it, 'POST', '/chat/worker', user('hello'));
    const [eventId] = (await it.io.sessions.read(key))?.fence.inbox ?? [];
    const loaded = JSON.parse(JSON.stringify(body).replaceAll('""', `"user-${eventId}"`));
    expect(await refused(ask(it, 'POST', '/chat/worker', loaded))).toEqual(problem);
  });

  test('refuses a deleted chat, and creates none under its id', async () => {
    const it = context();
    await openSession(key, agent, it.priceOf, it.io, { user: ada.subject });
    await it.io.graves.bury(key, it.io.clock.now());
    expect(await refused(ask(it, 'POST', '/chat/worker', user('hello')))).toEqual([410, 'Session deleted']);
    expect(await it.io.sessions.read(key)).toBeUndefined();
  });

  test('settles the decisions that the page has made, with their notes, and no others', async () => {
    const it = context();
    await ask(it, 'POST', '/chat/worker', user('hello'));
    const approval = { id: 'w1', approved: false, reason: 'Not now' };
    const parts = [
      { type: 'tool-pay', toolCallId: 'c', state: 'approval-responded', input: {}, approval },
      { type: 'tool-look', toolCallId: 'd', state: 'output-available', output: 1, providerExecuted: true },
      { type: 'tool-pay', toolCallId: 'e', state: 'approval-requested', input: {}, approval: { id: 'w2' } },
    ];
    await ask(it, 'POST', '/chat', { id: 'c1', messages: [{ id: 'a1', role: 'assistant', parts }] });
    expect(it.decide.mock.calls).toEqual([
      [key, { id: 'w1', approved: false, note: 'Not now' }, ada, 'chat'],
    ]);
  });
});

describe('routes below a chat', () => {
  test('a new chat has no run and no messages', async () => {
    const it = context();
    const answers = ['stream', 'messages'].map((what) => ask(it, 'GET', `/chat/c1/${what}`));
    expect(await Promise.all(answers)).toMatchObject([
      { kind: 'whole', response: { statusCode: 204 } },
      { kind: 'whole', response: { statusCode: 200, body: '{"messages":[]}' } },
    ]);
  });

  test('an unread message is among the messages of its chat, and Stop stops its run', async () => {
    const it = context();
    await ask(it, 'POST', '/chat/worker', user('hello'));
    const { response } = (await ask(it, 'GET', '/chat/worker/c1/messages')) as { response: { body: string } };
    expect(JSON.parse(response.body).messages).toMatchObject([{ role: 'user', parts: [{ text: 'hello' }] }]);
    expect(await ask(it, 'POST', '/chat/c1/stop')).toMatchObject({ response: { body: '{"stopped":true}' } });
  });

  test.each([
    ['GET', '/chat/c1/stream'],
    ['GET', '/chat/c1/messages'],
    ['POST', '/chat/c1/stop'],
    ['POST', '/chat/worker'],
  ])('%s %s of another user is 404, as for an unknown chat', async (method, path) => {
    const it = context();
    await ask(it, 'POST', '/chat/worker', user('hello'));
    const answer = ask(it, method, path, user('mine', 'm9'), person('bob'));
    expect(await refused(answer)).toEqual([404, 'No such session']);
  });

  test.each([
    ['GET', '/chat'],
    ['GET', '/chat/c1/stop'],
    ['POST', '/chat/c1/messages'],
    ['POST', '/chat/a b'],
    ['GET', '/chat/a/b/c/stream'],
  ])('%s %s is no route', async (method, path) => {
    expect(await refused(ask(context(), method, path, user('hello')))).toEqual([404, 'No such route']);
  });
});

test('of two users who race for a new thread id, it belongs to one, and the other is told nothing of it', async () => {
  for (let n = 0; n < 50; n += 1) {
    const it = context();
    const thread = { id: `race${n}` };
    const both = await Promise.all(
      ['ada', 'bob'].map((name) =>
        refused(ask(it, 'POST', '/chat/worker', user(`I am ${name}`, `m-${name}`, thread), person(name))),
      ),
    );
    expect(both.toSorted()).toEqual([[404, 'No such session'], undefined]);
    const view = await it.io.sessions.read({ tenant: 'acme', sessionId: `race${n}` });
    const events = await it.io.inbox.read({ tenant: 'acme', sessionId: `race${n}` }, view?.fence.inbox ?? []);
    expect(events.map(({ by }) => by)).toEqual([view?.session.user]);
  }
});
