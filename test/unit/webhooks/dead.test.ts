import { createHmac, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { Refusal } from '../../../functions/middleware/problem.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import {
  listDead,
  readDead,
  redriveAllDead,
  redriveDead,
} from '../../../functions/routes/dead-deliveries.ts';
import { type HookContext, takeDelivery } from '../../../functions/webhooks/take.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import {
  defineWebhook,
  type WebhookMapping,
  type WebhookSource,
} from '../../../shared/agent/define/webhook.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { countDeadDelivery } from '../../../shared/aws/meter.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { metrics } from '../../../shared/contract/metrics.ts';
import { createOutbound } from '../../../shared/memory/outbound.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { writtenBy } from '../../support/written.ts';
import { eventOf } from './senders.fixture.ts';

const agent = (name: string) =>
  defineAgent({ name, version: '1', model: { name: 'm' }, system: 's', tools: [] });

type Said = { key: string; say: string };
const good: WebhookMapping<Said> = ({ payload }) => ({
  agent: 'triage',
  sessionKey: payload.key,
  message: payload.say,
});
/** A source as a project deploys it. */
const mapping = (map: WebhookMapping<Said>, tenant = 'acme'): WebhookSource =>
  defineWebhook<Said>({ verify: { kind: 'github', secret: 'S' }, tenant, map });
const failing: Record<string, [reason: string, map: (event: never) => unknown]> = {
  throws: [
    'mapping_threw',
    () => {
      throw new TypeError('no such field: secret words');
    },
  ],
  'throws what is no error': [
    'mapping_threw',
    () => {
      throw 'up';
    },
  ],
  'throws what has no words': [
    'mapping_threw',
    () => {
      throw Object.create(null);
    },
  ],
  'returns half a wakeup': ['mapping_invalid', () => ({ agent: 'triage', message: 'x' })],
  'says nothing': ['mapping_invalid', () => ({ agent: 'triage', sessionKey: 'k', message: ' ' })],
  'is asynchronous': ['mapping_invalid', async () => ({ agent: 'triage', sessionKey: 'k', message: 'x' })],
  'is asynchronous and rejects': [
    'mapping_invalid',
    async () => {
      throw new Error('up, later');
    },
  ],
  'names an unknown agent': ['unknown_agent', () => ({ agent: 'nobody', sessionKey: 'k', message: 'x' })],
  'names a callback that may not be called': [
    'callback_refused',
    () => ({ agent: 'triage', sessionKey: 'k', message: 'x', callbackUrl: 'http://169.254.169.254/' }),
  ],
};

let world: MemoryWorld;
let context: HookContext & RouteContext;
let webhooks: Record<string, WebhookSource>;
beforeEach(() => {
  world = memoryWorld();
  webhooks = { github: mapping(good) };
  context = {
    io: { ...world, outbound: createOutbound() },
    ...memoryEdge(world),
    secretsOf: async () => ['hush'],
    webhooks,
    agents: [agent('triage'), agent('other')],
    priceOf: async () => undefined,
    countDead: countDeadDelivery,
  };
});

const deploy = (map: (event: never) => unknown) => {
  webhooks.github = mapping(map as WebhookMapping<Said>);
};

async function deliver(say: string, id: string = randomUUID(), key = 'k1', cameAt = world.clock.now()) {
  const body = JSON.stringify({ key, say });
  const sent = eventOf({
    body,
    headers: {
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'hush').update(body).digest('hex')}`,
      'x-github-event': 'issues',
      'x-github-delivery': id,
    },
  });
  const event = {
    ...sent,
    pathParameters: { source: 'github' },
    requestContext: { ...sent.requestContext, timeEpoch: cameAt },
  };
  const { statusCode, body: answer = '' } = await takeDelivery(event, context);
  return { status: statusCode, ...JSON.parse(answer) };
}

const admin: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-admin'] };
async function call(route: Route, { id = '', body = '', query = {}, by = admin } = {}) {
  const event = { pathParameters: { deliveryId: id }, queryStringParameters: query, body };
  const answered = await route(event as unknown as APIGatewayProxyEventV2, by, context).catch((error) => {
    if (error instanceof Refusal)
      return { statusCode: error.problem.status, body: JSON.stringify(error.problem) };
    throw error;
  });
  return { status: answered.statusCode, ...JSON.parse(answered.body ?? '') };
}
async function told(key = 'k1'): Promise<string[]> {
  const id = { tenant: 'acme', sessionId: await sessionIdFor('hook', key) };
  const view = await world.sessions.read(id);
  return (await world.inbox.read(id, view?.fence.inbox ?? [])).map(({ text }) => text);
}

describe.each(Object.entries(failing))('a delivery whose mapping %s', (_what, [reason, map]) => {
  test('is kept with the reason, answered with 202, logged as an error and counted', async () => {
    deploy(map);
    const written: string[] = [];
    const id = randomUUID();
    const spy = vi
      .spyOn(process.stdout, 'write')
      .mockImplementation((text) => written.push(String(text)) > 0);
    const answers = [await deliver('hello', id), await deliver('hello', id)];
    spy.mockRestore();
    const kept = answers[0]?.kept;
    expect(answers).toEqual([
      { status: 202, kept },
      { status: 202, kept },
    ]);
    const lines = written.map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ level: 'ERROR', reason, source: 'github', tenant: 'acme', dead: kept });
    expect(lines[1]).toMatchObject({ [metrics.deadDeliveries]: 1 });
    expect(written.join('')).not.toContain('secret words');
    expect(await call(listDead)).toMatchObject({
      deliveries: [{ id: kept, reason, source: 'github', name: 'issues', deliveryId: id }],
    });
    expect(await call(readDead, { id: kept })).toMatchObject({ body: '{"key":"k1","say":"hello"}' });
    expect(await told()).toEqual([]);
  });

  test('reaches its session after the mapping was fixed, once, hours later', async () => {
    deploy(map);
    const id = randomUUID();
    let kept = '';
    await writtenBy(async () => ({ kept } = await deliver('hello', id)));
    await world.clock.advance(9 * 3_600_000);
    expect(await call(redriveDead, { id: kept })).toMatchObject({
      status: 409,
      errors: [{ message: reason }],
    });
    deploy(good);
    await writtenBy(async () =>
      expect(await call(redriveDead, { id: kept })).toMatchObject({ status: 202, duplicate: false }),
    );
    expect(await told()).toEqual(['hello']);
    expect(await call(redriveDead, { id: kept })).toMatchObject({ status: 404 });
    expect(await call(listDead)).toMatchObject({ deliveries: [] });
    // The sender's own retry.
    expect(await deliver('hello', id)).toMatchObject({ status: 200, duplicate: true });
    expect(await told()).toEqual(['hello']);
  });
});

describe('dead deliveries', () => {
  const bury = async (...says: string[]): Promise<string[]> => {
    deploy(() => {
      throw new Error('burst');
    });
    const ids: string[] = [];
    await writtenBy(async () => {
      for (const say of says) {
        ids.push((await deliver(say)).kept);
        await world.clock.advance(1_000);
      }
    });
    return ids;
  };

  test('are listed and redriven in the order of arrival', async () => {
    await bury('one', 'two', 'three');
    deploy(good);
    await deliver('later');
    await writtenBy(async () =>
      expect(await call(redriveAllDead)).toEqual({ status: 200, redriven: 3, failed: [] }),
    );
    expect(await told()).toEqual(['one', 'two', 'three', 'later']);
  });

  test('that fail again stay, and do not hold up the others', async () => {
    const [, second] = await bury('one', 'two', 'three');
    deploy((event: { payload: Said }) => {
      if (event.payload.say === 'two') throw new Error('two is odd');
      return good(event as never);
    });
    await writtenBy(async () =>
      expect(await call(redriveAllDead)).toMatchObject({
        redriven: 2,
        failed: [{ id: second, reason: 'mapping_threw', detail: expect.stringContaining('two is odd') }],
      }),
    );
    expect(await told()).toEqual(['one', 'three']);
    expect(await call(listDead)).toMatchObject({ deliveries: [{ id: second }] });
  });

  test('are listed a page at a time, and redriven as long as there is time', async () => {
    const ids = await bury('one', 'two', 'three');
    const first = await call(listDead, { query: { limit: '2' } });
    expect(first.deliveries.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const rest = await call(listDead, { query: { after: first.next } });
    expect(rest.deliveries.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(rest).not.toHaveProperty('next');
    expect(await call(listDead, { query: { source: 'stripe' } })).toMatchObject({ deliveries: [] });
    expect(await call(listDead, { query: { after: 'x' } })).toMatchObject({ status: 400 });

    const { read } = context.dead;
    vi.spyOn(context.dead, 'read').mockImplementation(async (...args) => {
      await world.clock.advance(15_000);
      return read(...args);
    });
    const some = await call(redriveAllDead);
    expect(some.failed.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const others = await call(redriveAllDead, { body: JSON.stringify({ after: some.next }) });
    expect(others.failed.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(others).not.toHaveProperty('next');
  });

  test('of a removed source, or of one that now belongs to another tenant, stay and say so', async () => {
    const [id = ''] = await bury('one');
    for (const left of [{}, { github: mapping(good, 'birch') }]) {
      delete webhooks.github;
      Object.assign(webhooks, left);
      expect(await call(redriveDead, { id })).toMatchObject({
        status: 409,
        errors: [{ message: 'unknown_source' }],
      });
    }
    expect(await call(listDead)).toMatchObject({ deliveries: [{ reason: 'unknown_source' }] });
  });

  test('that the mapping now ignores are gone', async () => {
    const [id = ''] = await bury('one');
    deploy(() => undefined);
    await writtenBy(async () =>
      expect(await call(redriveDead, { id })).toEqual({ status: 200, ignored: 'issues' }),
    );
    expect(await call(listDead)).toMatchObject({ deliveries: [] });
  });

  test('that were captured and resent under another id are not kept', async () => {
    await bury('one');
    await writtenBy(async () =>
      expect(await deliver('one')).toEqual({ status: 200, duplicate: true, replay: true }),
    );
    expect((await call(listDead)).deliveries).toHaveLength(1);
  });

  test('are for administrators of the tenant', async () => {
    const [id = ''] = await bury('one');
    const user: Identity = { tenant: 'acme', subject: 'user:bob', kind: 'jwt' };
    const key: Identity = { tenant: 'acme', subject: 'key:k', kind: 'key', scopes: ['decide'] };
    for (const route of [listDead, readDead, redriveDead, redriveAllDead]) {
      for (const by of [user, key]) expect(await call(route, { id, by })).toMatchObject({ status: 403 });
    }
    const other: Identity = { ...admin, tenant: 'birch' };
    for (const route of [readDead, redriveDead])
      expect(await call(route, { id, by: other })).toMatchObject({ status: 404 });
    expect(await call(readDead, { id: '../x' })).toMatchObject({ status: 404 });
  });
});

describe('a payload that no longer fits its schema', () => {
  const schema = (type: 'string' | 'number') =>
    defineWebhook({
      verify: { kind: 'github', secret: 'S' },
      tenant: 'acme',
      payload: z.object({ key: z.string(), say: type === 'string' ? z.string() : z.coerce.number() }),
      map: ({ payload, headers }) => ({
        agent: 'triage',
        sessionKey: payload.key,
        message: `${payload.say} ${headers['x-github-event']}`,
      }),
    });

  test('is kept with the place that does not fit, and redriven when the schema is fixed, with its headers', async () => {
    webhooks.github = schema('number');
    let kept = '';
    await writtenBy(async () => ({ kept } = await deliver('hello')));
    expect((await call(listDead)).deliveries).toMatchObject([
      { id: kept, reason: 'payload_unfit', detail: expect.stringContaining('at say') },
    ]);
    webhooks.github = schema('string');
    await writtenBy(async () => expect(await call(redriveDead, { id: kept })).toMatchObject({ status: 202 }));
    expect(await told()).toEqual(['hello issues']);
  });
});

test('a dead delivery of another tenant than the source’s is redriven by that tenant, and goes to no third one', async () => {
  const to = (tenant: string, agentName: string) =>
    mapping(({ payload }) => ({
      agent: agentName,
      tenant,
      sessionKey: payload.key,
      message: payload.say,
    }));
  webhooks.github = to('birch', 'nobody');
  let kept = '';
  await writtenBy(async () => ({ kept } = await deliver('hello')));
  const birch: Identity = { ...admin, tenant: 'birch' };
  expect(await call(readDead, { id: kept })).toMatchObject({ status: 404 });
  webhooks.github = to('cedar', 'triage');
  expect(await call(redriveDead, { id: kept, by: birch })).toMatchObject({
    status: 409,
    errors: [{ message: 'unknown_source' }],
  });
  webhooks.github = to('birch', 'triage');
  await writtenBy(async () =>
    expect(await call(redriveDead, { id: kept, by: birch })).toMatchObject({ status: 202 }),
  );
});

test('a delivery for a session of another agent is accepted when the mapping names another key', async () => {
  const key = { tenant: 'acme', sessionId: await sessionIdFor('hook', 'k1') };
  await openSession(key, agent('other'), context.priceOf, context.io);
  let kept = '';
  await writtenBy(async () => ({ kept } = await deliver('hello')));
  deploy(({ payload }: { payload: Said }) => ({ agent: 'triage', sessionKey: 'new', message: payload.say }));
  await writtenBy(async () => expect(await call(redriveDead, { id: kept })).toMatchObject({ status: 202 }));
  expect([await told(), await told('new')]).toEqual([[], ['hello']]);
});

test('events are read in the order in which the gateway took them, however long a cold start took', async () => {
  await deliver('second', randomUUID(), 'k1', 2_000);
  await deliver('first', randomUUID(), 'k1', 1_000);
  expect(await told()).toEqual(['first', 'second']);
});
