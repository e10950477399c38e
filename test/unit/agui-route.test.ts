import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { type AguiContext, serveAgui } from '../../functions/routes/agui.ts';
import { openSession } from '../../shared/agent/accept.ts';
import { defineAgent } from '../../shared/agent/define.ts';
import type { Limits } from '../../shared/aws/limits.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { type Origin, sessionIdFor } from '../../shared/contract/ids.ts';
import { memoryWorld } from '../support/memory-world.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
const agent = (name: string) =>
  defineAgent({ name, version: '1', model: { name: 'm' }, system: 's', tools: [] });

function context() {
  const io = memoryWorld();
  const decide = vi.fn<AguiContext['decide']>().mockResolvedValue();
  const agents = [agent('worker'), agent('other')];
  const limits = {
    message: vi.fn<Limits['message']>().mockResolvedValue('admitted'),
    session: vi.fn<Limits['session']>().mockResolvedValue({ since: 0 }),
    giveBack: vi.fn<Limits['giveBack']>().mockResolvedValue(),
  };
  return { io, limits, decide, agents, priceOf: async () => undefined } as unknown as AguiContext & {
    io: ReturnType<typeof memoryWorld>;
    decide: typeof decide;
    limits: typeof limits;
  };
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
  test('takes in the last message under its id, and nothing of the others', async () => {
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

  test('decides what a run waits for before it takes the message', async () => {
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

  test('sends nothing when it only connects', async () => {
    const it = context();
    await serveAgui(request('/agui/worker/connect', user('hello')), ada, 0, it);
    await serveAgui(request('/agui/connect', user('hello')), ada, 0, it);
    expect(await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' })).toBeUndefined();
  });

  test.each<[string, string, object, number]>([
    ['another agent for the same thread', '/agui/other', user('hello', 'm2'), 409],
    ['the same id for another text', '/agui/worker', user('another'), 422],
    ['no agent where there are several', '/agui', { ...user('hello'), threadId: 't2' }, 404],
    ['a decision that is none', '/agui/worker', { resume: [{ interruptId: 'i', status: 'maybe' }] }, 400],
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
    'begins no thread under an id that belongs to a key of %s, and goes on with one that is there',
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

  test('asks the limits of the tenant for a message, and for nothing else', async () => {
    const it = context();
    it.limits.message.mockResolvedValue({ retryAfterSeconds: 7 });
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
    expect(it.limits.message.mock.calls).toEqual([['acme']]);
    expect(await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' })).toBeUndefined();
  });

  test('names the agent in forwardedProps as well', async () => {
    const it = context();
    await serveAgui(request('/agui', { ...user('x'), forwardedProps: { agent: 'other' } }), ada, 0, it);
    const view = await it.io.sessions.read({ tenant: 'acme', sessionId: 't1' });
    expect(view?.session.agent).toBe('other');
  });
});
