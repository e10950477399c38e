import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { serveAgui } from '../../../functions/routes/agui.ts';
import type { PageContext } from '../../../functions/routes/page-arrivals.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { type Origin, sessionIdFor } from '../../../shared/contract/ids.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { type MemoryEdgeOptions, memoryEdge } from '../../support/memory-edge.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-operator'] };
const agent = (name: string) =>
  defineAgent({ name, version: '1', model: { name: 'm' }, system: 's', tools: [] });

function context(options: MemoryEdgeOptions = {}) {
  const io = memoryWorld();
  const decide = vi.fn<PageContext['decide']>().mockResolvedValue();
  const edge = memoryEdge(io, options);
  vi.spyOn(edge.streams, 'open');
  vi.spyOn(edge.streams, 'close');
  const agents = [agent('worker'), agent('other')];
  return { io, ...edge, watchMs: 120_000, decide, agents, priceOf: async () => undefined };
}

const request = (rawPath: string, body: object) =>
  ({
    rawPath,
    headers: {},
    body: JSON.stringify({ threadId: 't1', runId: 'r1', messages: [], ...body }),
    isBase64Encoded: false,
  }) as unknown as APIGatewayProxyEventV2;
const user = (content: unknown, id = 'm1') => ({ messages: [{ id, role: 'user', content }] });

describe('POST /agui', () => {
  test('accepts the last message under its id, and ignores the others', async () => {
    const it = context();
    const { messages } = user('new', 'm2');
    const before = [
      { id: 'm1', role: 'user', content: 'old' },
      { id: 'a1', role: 'assistant', content: 'x' },
    ];
    await serveAgui(request('/agui/worker', { messages: [...before, ...messages] }), ada, 0, it);
    const key = { tenant: 'acme', sessionId: 't1' };
    const view = await it.io.sessions.read(key);
    expect(view?.session.agent).toBe('worker');
    expect(await it.io.inbox.read(key, view?.fence.inbox ?? [])).toMatchObject([{ text: 'new' }]);
  });

  test("does not accept a message again that a page got from a snapshot, under the session's own id", async () => {
    const it = context();
    const key = { tenant: 'acme', sessionId: 't1' };
    const inbox = async () => (await it.io.sessions.read(key))?.fence.inbox ?? [];
    await serveAgui(request('/agui/worker', user('hello')), ada, 0, it);
    const [first] = await inbox();
    await serveAgui(request('/agui/worker', user('hello', `user-${first}`)), ada, 0, it);
    expect(await inbox()).toEqual([first]);
    // An id that only looks like one of the session's belongs to the page.
    await serveAgui(request('/agui/worker', user('hello', 'user-1')), ada, 0, it);
    expect(await inbox()).toHaveLength(2);
  });

  test('settles the decisions that a run waits for before it accepts the message', async () => {
    const it = context();
    await serveAgui(request('/agui/worker', user('hello')), ada, 0, it);
    const resume = [
      { interruptId: 'call-1', status: 'resolved', payload: { approved: false } },
      { interruptId: 'call-2', status: 'cancelled' },
    ];
    const answer = await serveAgui(request('/agui/worker', { ...user('hello'), resume }), ada, 0, it);
    expect(answer.kind).toBe('stream');
    expect(it.decide.mock.calls.map(([, decision]) => decision)).toEqual([
      { id: 'call-1', approved: false },
      { id: 'call-2', approved: false },
    ]);
    expect(it.decide.mock.calls[0]?.[0]).toEqual({ tenant: 'acme', sessionId: 't1' });
  });

  test('sends nothing to the session when a client only connects', async () => {
    const it = context();
    await serveAgui(request('/agui/worker/connect', user('hello')), ada, 0, it);
    await serveAgui(request('/agui/connect', user('hello')), ada, 0, it);
    expect(await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' })).toBeUndefined();
  });

  test.each<[string, string, object, number]>([
    ['another agent for the same thread', '/agui/other', user('hello', 'm2'), 409],
    ['the same id for another text', '/agui/worker', user('another'), 422],
    ['no agent if there are several', '/agui', { ...user('hello'), threadId: 't2' }, 404],
    ['an invalid decision', '/agui/worker', { resume: [{ interruptId: 'i', status: 'maybe' }] }, 400],
  ])('refuses %s', async (_what, path, body, status) => {
    const it = context();
    await serveAgui(request('/agui/worker', user('hello')), ada, 0, it);
    const refused = serveAgui(request(path, body), ada, 0, it);
    await expect(refused).rejects.toMatchObject({ problem: { status } });
  });

  test.each<[Origin, string]>([
    ['hook', 'github:owner/repo#12'],
    ['slack', 'T1:C1:direct'],
    ['http', 'acme:key'],
  ])(
    'creates no session under an id that belongs to a key of %s, and continues an existing one',
    async (origin, name) => {
      const it = context();
      const threadId = await sessionIdFor(origin, name);
      const key = { tenant: 'acme', sessionId: threadId };
      const body = { ...user('hello'), threadId };
      const refused = serveAgui(request('/agui/worker', body), ada, 0, it);
      await expect(refused).rejects.toMatchObject({ problem: { status: 422, title: 'Reserved thread id' } });
      expect(await it.io.sessions.read(key)).toBeUndefined();
      await openSession(key, agent('worker'), it.priceOf, it.io);
      await serveAgui(request('/agui/worker', body), ada, 0, it);
      expect((await it.io.sessions.read(key))?.fence.inbox).toHaveLength(1);
    },
  );

  test("checks the tenant's limits for a message, and for nothing else", async () => {
    const it = context({ messagesPerMinute: 0 });
    const counted = vi.spyOn(it.limits, 'message');
    await it.io.clock.advance(53_000);
    await serveAgui(request('/agui/worker/connect', user('hello')), ada, 0, it);
    await serveAgui(
      request('/agui/worker', { resume: [{ interruptId: 'i', status: 'cancelled' }] }),
      ada,
      0,
      it,
    );
    const refused = serveAgui(request('/agui/worker', user('hello')), ada, 0, it);
    await expect(refused).rejects.toMatchObject({
      problem: { status: 429 },
      headers: { 'retry-after': '7' },
    });
    expect(counted.mock.calls).toEqual([['acme']]);
    expect(await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' })).toBeUndefined();
  });

  test("also takes the agent's name from forwardedProps", async () => {
    const it = context();
    await serveAgui(request('/agui', { ...user('x'), forwardedProps: { agent: 'other' } }), ada, 0, it);
    const view = await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' });
    expect(view?.session.agent).toBe('other');
  });
});

/** The time by which an answer must have ended. */
const soon = ({ io }: ReturnType<typeof context>) => io.clock.now() + 880_000;

/** The events of an answer. */
async function eventsOf(answer: Awaited<ReturnType<typeof serveAgui>>): Promise<AgUiEvent[]> {
  if (answer.kind !== 'stream') throw new Error('no stream');
  let text = '';
  const write = async (piece: string) => {
    text += piece;
  };
  await answer.body({ write, left: () => false });
  return text
    .split('\n\n')
    .flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6))] : []));
}

describe('an answer of POST /agui', () => {
  test("carries its client's run id from the first event to the last", async () => {
    const it = context();
    const answer = await serveAgui(request('/agui/connect', { runId: 'mine' }), ada, soon(it), it);
    const events = await eventsOf(answer);
    expect(events.map((event) => [event.type, 'runId' in event && event.runId])).toEqual([
      ['RUN_STARTED', 'mine'],
      ['MESSAGES_SNAPSHOT', false],
      ['RUN_FINISHED', 'mine'],
    ]);
  });

  test('takes a slot of its tenant, and frees it when it ends or is refused', async () => {
    const it = context();
    await eventsOf(await serveAgui(request('/agui/worker/connect', {}), ada, soon(it), it));
    const until = it.io.clock.now() + 120_000;
    const stream = { tenant: 'acme', sessionId: 't1', id: expect.any(String) };
    expect(it.streams.open).toHaveBeenCalledExactlyOnceWith(stream, until);
    expect(it.streams.close).toHaveBeenCalledOnce();
    await serveAgui(request('/agui/unknown', user('hello')), ada, soon(it), it).catch(() => {});
    expect(it.streams.close).toHaveBeenCalledTimes(2);
  });

  test('is refused with 429 at the limit of open streams, before a message is accepted', async () => {
    const it = context({ streamsAtOnce: 0 });
    for (const path of ['/agui/worker', '/agui/worker/connect']) {
      await expect(serveAgui(request(path, user('hello')), ada, soon(it), it)).rejects.toMatchObject({
        problem: { status: 429, title: 'Too many streams' },
        headers: { 'retry-after': '5' },
      });
    }
    expect(await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' })).toBeUndefined();
  });

  const before = new Refusal(409, 'Already decided', { detail: 'It was denied by user:bob.' });
  const resume = [
    { interruptId: 'i1', status: 'resolved' },
    { interruptId: 'i2', status: 'resolved' },
  ];

  test('reports which answer came second, and still counts the others', async () => {
    const it = context();
    await openSession({ tenant: 'acme', sessionId: 't1' }, agent('worker'), it.priceOf, it.io);
    it.decide.mockRejectedValueOnce(before);
    const events = await eventsOf(await serveAgui(request('/agui', { resume }), ada, soon(it), it));
    expect(it.decide).toHaveBeenCalledTimes(2);
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'RUN_STARTED' },
      {
        type: 'CUSTOM',
        name: 'steploop.decided_before',
        value: { id: 'i1', detail: 'It was denied by user:bob.' },
      },
    ]);
    expect(events.filter(({ type }) => type === 'CUSTOM')).toHaveLength(1);
  });

  test('is 409 when all answers came second and the request has nothing else', async () => {
    const it = context();
    it.decide.mockRejectedValue(before);
    await expect(serveAgui(request('/agui', { resume }), ada, soon(it), it)).rejects.toBe(before);
    expect(it.streams.close).toHaveBeenCalledOnce();
  });
});
