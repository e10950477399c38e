import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { type HookContext, takeDelivery } from '../../../functions/webhooks/take.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineWebhook, type Wakeup, type WebhookMapping } from '../../../shared/agent/define/webhook.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { isReservedId, sessionIdFor } from '../../../shared/contract/ids.ts';
import { createOutbound } from '../../../shared/memory/outbound.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { writtenBy } from '../../support/written.ts';
import { eventOf } from './senders.fixture.ts';

const agent = (name: string) =>
  defineAgent({ name, version: '1', model: { name: 'm' }, system: 's', tools: [] });
const [triage, other] = [agent('triage'), agent('other')];

/** One session for each `key`, and the whole of `say` as the message. */
const map: WebhookMapping<{ key: string; say: string }> = ({ payload }) => ({
  agent: 'triage',
  sessionKey: payload.key,
  message: payload.say,
});
const hmac = { kind: 'hmac', secret: 'S', header: 'x-sig', idHeader: 'x-id' } as const;
const webhooks = {
  github: defineWebhook({ verify: { kind: 'github', secret: 'S' }, map }),
  ids: defineWebhook({ verify: hmac, map }),
  ticks: defineWebhook({ verify: { ...hmac, sameBody: 'new' }, map }),
  timed: defineWebhook({ verify: { ...hmac, timestamp: { header: 'x-time' } }, map }),
  many: defineWebhook<{ key: string; say: string; account?: string }>({
    verify: hmac,
    map: (event) => ({ ...map(event), tenant: event.payload.account }) as Wakeup,
  }),
  headed: defineWebhook({
    verify: hmac,
    map: ({ headers }) => ({ agent: 'triage', sessionKey: 'k', message: JSON.stringify(headers) }),
  }),
};

let world: MemoryWorld;
let context: HookContext;
beforeEach(() => {
  world = memoryWorld();
  context = {
    io: { ...world, outbound: createOutbound() },
    ...memoryEdge(world),
    secretsOf: async () => ['hush'],
    webhooks,
    agents: [triage, other],
    priceOf: async () => undefined,
    countDead: () => undefined,
  };
});
afterEach(() => void vi.restoreAllMocks());

const mac = (text: string) => createHmac('sha256', 'hush').update(text).digest('hex');

/** The response to a delivery; a refusal is its problem document. */
async function deliver(source: string, body: string, headers: Record<string, string>) {
  const event = { ...eventOf({ body, headers }), pathParameters: { source } };
  const answered = await takeDelivery(event, context).catch((error: unknown) => {
    if (error instanceof Refusal) return { statusCode: error.problem.status, body: '{}' };
    throw error;
  });
  return { status: answered.statusCode, ...JSON.parse(answered.body ?? '') };
}
const github = (body: string, id: string = randomUUID()) =>
  deliver('github', body, {
    'x-hub-signature-256': `sha256=${mac(body)}`,
    'x-github-event': 'issues',
    'x-github-delivery': id,
  });
const bySource = {
  github,
  ids: (body: string, id: string = randomUUID()) => deliver('ids', body, { 'x-sig': mac(body), 'x-id': id }),
  timed: (body: string, id: string = randomUUID(), time = String(Math.floor(world.clock.now() / 1000))) =>
    deliver('timed', body, { 'x-sig': mac(`${time}.${body}`), 'x-id': id, 'x-time': time }),
};

const said = (say: string, key = 'owner/repo#12') => JSON.stringify({ key, say });
const keyOf = async (key = 'owner/repo#12') => ({
  tenant: 'default',
  sessionId: await sessionIdFor('hook', key),
});
/** The messages in the session of a key. */
async function told(key?: string): Promise<string[]> {
  const id = await keyOf(key);
  const view = await world.sessions.read(id);
  return (await world.inbox.read(id, view?.fence.inbox ?? [])).map(({ text }) => text);
}

describe.each(Object.entries(bySource))('a captured delivery of %s', (_source, send) => {
  test('has no effect under a fresh, unsigned id', async () => {
    const first = randomUUID();
    expect(await send(said('It leaks.'), first)).toMatchObject({ status: 202, duplicate: false });
    const lines = await writtenBy(async () => {
      expect(await send(said('It leaks.'))).toEqual({ status: 200, duplicate: true, replay: true });
    });
    expect(lines).toMatchObject([{ level: 'WARN' }]);
    expect(await told()).toEqual(['It leaks.']);
    // The sender's own retry, under its own id, is still recognized as that.
    expect(await send(said('It leaks.'), first)).toMatchObject({ status: 200, duplicate: true });
  });

  test('does not block another event', async () => {
    await send(said('It leaks.'));
    expect(await send(said('It leaks more.'))).toMatchObject({ status: 202 });
    expect(await told()).toHaveLength(2);
  });
});

test.each(['sessions.create', 'inbox.accept', 'queue.send'] as const)(
  'a delivery that met an outage at %s is one event when its sender repeats it',
  async (where) => {
    const [port, name] = where.split('.') as ['queue', 'send'];
    const down = vi.spyOn(context.io[port], name).mockRejectedValueOnce(new Error('connect ECONNREFUSED'));
    const id = randomUUID();
    await expect(github(said('It leaks.'), id)).rejects.toThrow('ECONNREFUSED');
    down.mockRestore();
    await github(said('It leaks.'), id);
    expect(await told()).toEqual(['It leaks.']);
    expect(world.queue.visible()).toHaveLength(1);
  },
);

test('an outage is outlasted while there is time, since not every sender retries after a 503', async () => {
  const away = Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
  const body = said('It leaks.');
  const headers = {
    'x-hub-signature-256': `sha256=${mac(body)}`,
    'x-github-event': 'issues',
    'x-github-delivery': randomUUID(),
  };
  const event = { ...eventOf({ body, headers }), pathParameters: { source: 'github' } };
  const waitFor = async (outage: () => void, deadlineMs: number) => {
    outage();
    const answer = takeDelivery(event, context, world.clock.now() + deadlineMs);
    const settled = answer.then(
      ({ statusCode, body = '' }) => ({ status: statusCode, ...JSON.parse(body) }),
      (error: Error) => error.name,
    );
    let isOver = false;
    void settled.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      if (world.clock.sleepers() > 0) await world.clock.advance(1_000);
    }
    return settled;
  };
  await writtenBy(async () => {
    const open = vi.spyOn(context.io.sessions, 'create').mockRejectedValue(away);
    expect(await waitFor(() => undefined, 29_000)).toBe('TimeoutError');
    const tries = open.mock.calls.length;
    expect(tries).toBeGreaterThan(10);
    open.mockRestore();
    // The second answer is that of a duplicate: the first try may have got in.
    const send = () => void vi.spyOn(context.io.queue, 'send').mockRejectedValueOnce(away);
    expect(await waitFor(send, 29_000)).toMatchObject({ status: 200, duplicate: true });
  });
  expect(await told()).toEqual(['It leaks.']);
});

test('equal bodies are separate events if the source says so, and if a time is signed', async () => {
  for (const id of ['t1', 't2', 't3'])
    expect(await deliver('ticks', said('tick'), { 'x-sig': mac(said('tick')), 'x-id': id })).toMatchObject({
      status: 202,
    });
  for (const id of ['d1', 'd2', 'd3']) {
    expect(await bySource.timed(said('tick'), id)).toMatchObject({ status: 202 });
    await world.clock.advance(1_000);
  }
  expect(await told()).toHaveLength(6);
});

test('more deliveries than an inbox holds are all accepted, from senders that never retry', async () => {
  const many = Array.from({ length: 150 }, (_, i) => `comment ${i + 1}`);
  for (const say of many) {
    expect(await github(said(say))).toMatchObject({ status: 202, duplicate: false });
    await world.clock.advance(1);
  }
  const id = await keyOf();
  expect(await told()).toEqual(many.slice(0, 100));
  expect((await world.sessions.read(id))?.fence.overflow).toBe(true);
  // The same delivery is not another one, wherever it waits.
  for (const say of ['comment 1', 'comment 150'])
    expect(await github(said(say))).toMatchObject({ status: 200, duplicate: true });
});

test('a delivery to a deleted session is kept until its tombstone is gone; the next one starts another', async () => {
  const key = await keyOf();
  await openSession(key, triage, context.priceOf, context.io);
  await world.graves.bury(key, world.clock.now());
  const lines = await writtenBy(async () => {
    expect(await github(said('It leaks.'))).toMatchObject({ status: 202, kept: expect.any(String) });
  });
  expect(lines).toMatchObject([{ level: 'ERROR', reason: 'session_deleted' }]);
  for await (const due of world.graves.due(world.clock.now()))
    for (const grave of due) await world.graves.close(grave);
  expect(await github(said('It still leaks.'))).toMatchObject({ status: 202, duplicate: false });
  expect(await told()).toEqual(['It still leaks.']);
});

describe('a session that belongs to another agent', () => {
  test('gets nothing of a signed delivery, which is kept and logged as an error', async () => {
    await openSession(await keyOf(), other, context.priceOf, context.io);
    const id = randomUUID();
    const lines = await writtenBy(async () => {
      expect(await github(said('secret'), id)).toMatchObject({ status: 202, kept: expect.any(String) });
      // Also when the sender retries.
      expect(await github(said('secret'), id)).toMatchObject({ status: 202, kept: expect.any(String) });
    });
    expect(await told()).toEqual([]);
    const levelled = lines.filter((line) => 'level' in line);
    expect(levelled).toMatchObject([{ level: 'ERROR' }, { level: 'ERROR' }]);
    expect(levelled[0]).toMatchObject({ reason: 'other_agent', source: 'github', tenant: 'default' });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('continues with its agent for a source that names that one', async () => {
    await openSession(await keyOf(), triage, context.priceOf, context.io);
    expect(await github(said('hello'))).toMatchObject({ status: 202 });
  });
});

describe('a source that serves several tenants', () => {
  const send = (account: unknown, say: string, id: string = randomUUID()) => {
    const body = JSON.stringify({ key: 'k', say, account });
    return deliver('many', body, { 'x-sig': mac(body), 'x-id': id });
  };

  test('wakes the session of the tenant that the mapping names, and of its own without one', async () => {
    const of = async (tenant: string) => {
      const id = { tenant, sessionId: await sessionIdFor('hook', 'k') };
      const view = await world.sessions.read(id);
      return (await world.inbox.read(id, view?.fence.inbox ?? [])).map(({ text }) => text);
    };
    expect(await send('acme', 'one')).toMatchObject({ status: 202 });
    expect(await send('birch', 'two')).toMatchObject({ status: 202 });
    expect(await send(undefined, 'three')).toMatchObject({ status: 202 });
    expect([await of('acme'), await of('birch'), await of('default')]).toEqual([['one'], ['two'], ['three']]);
  });

  test('keeps a delivery of an invalid tenant in its own', async () => {
    const buried = vi.spyOn(context.dead, 'bury');
    await writtenBy(async () => {
      expect(await send('a#b', 'one')).toMatchObject({ status: 202, kept: expect.any(String) });
    });
    expect(buried.mock.calls[0]?.[0]).toMatchObject({ tenant: 'default', reason: 'mapping_invalid' });
  });
});

test('a mapping sees the headers, without credentials and secrets', async () => {
  const body = '{"n":1}';
  await deliver('headed', body, {
    'X-Sig': mac(body),
    'x-id': 'd1',
    'X-Region': 'eu',
    Authorization: 'Basic xyz',
    Cookie: 'a=b',
    'x-token': 'it is hush',
  });
  expect((await told('k')).map((text) => JSON.parse(text))).toEqual([
    { 'x-sig': mac(body), 'x-id': 'd1', 'x-region': 'eu' },
  ]);
});

test('no key of a webhook leads to a session of another origin', async () => {
  const others = [
    ['http', 'default:k1'],
    ['agui', 'thread'],
    ['slack', 'T1:C1:direct'],
  ] as const;
  for (const [origin, key] of others) {
    const sessionId = await sessionIdFor(origin, key);
    expect(isReservedId(sessionId)).toBe(true);
    const { sessionId: ours } = await keyOf(`${origin}:${key}`);
    expect(ours).not.toBe(sessionId);
  }
});
