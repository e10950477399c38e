import { createHmac, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { type HookContext, takeDelivery } from '../../../functions/webhooks/take.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineWebhook, type WebhookMapping } from '../../../shared/agent/define/webhook.ts';
import type { VerifyWebhook, WebhookChallenge } from '../../../shared/agent/define/webhook-verify.ts';
import { createOutbound } from '../../../shared/memory/outbound.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { eventOf } from './senders.fixture.ts';

const map: WebhookMapping = () => ({ agent: 'triage', sessionKey: 'k', message: 'm' });
const hmac = { kind: 'hmac', secret: 'S', header: 'x-sig' } as const;
const jsonOf = (body: Uint8Array): Record<string, unknown> =>
  JSON.parse(Buffer.from(body).toString() || '{}');

/** Meta asks with GET, and sends a token that its owner has chosen. */
const meta: WebhookChallenge = ({ method, url }, { secrets, isSame }) => {
  const query = new URL(url).searchParams;
  const isTheirs = secrets.some((secret) => isSame(query.get('hub.verify_token') ?? undefined, secret));
  return method === 'GET' && isTheirs ? (query.get('hub.challenge') ?? undefined) : undefined;
};
/** Microsoft Graph asks with POST, without a body and without a signature. */
const graph: WebhookChallenge = ({ url }) => new URL(url).searchParams.get('validationToken') ?? undefined;
const monday: WebhookChallenge = ({ body }) => {
  const { challenge } = jsonOf(body);
  return challenge === undefined ? undefined : { challenge };
};
/** X wants a hash of its token with the secret. */
const crc: WebhookChallenge = ({ method, url }, { secrets: [secret = ''] }) => {
  const token = new URL(url).searchParams.get('crc_token');
  if (method !== 'GET' || token === null) return undefined;
  return { response_token: `sha256=${createHmac('sha256', secret).update(token).digest('base64')}` };
};
const signature: VerifyWebhook = ({ headers, body }, { secrets, isSame }) =>
  secrets.some((secret) => isSame(headers['x-sig'], createHmac('sha256', secret).update(body).digest('hex')));
/** Discord signs its ping, and sends wrong signatures to see that they are refused. */
const discord: WebhookChallenge = ({ body, verified }) =>
  verified && jsonOf(body).type === 1 ? { type: 1 } : undefined;

const webhooks = {
  meta: defineWebhook({ verify: hmac, challenge: meta, map }),
  graph: defineWebhook({ verify: hmac, challenge: graph, map }),
  monday: defineWebhook({ verify: hmac, challenge: monday, map }),
  crc: defineWebhook({ verify: hmac, challenge: crc, map }),
  discord: defineWebhook({
    verify: { kind: 'custom', secret: 'S', verify: signature },
    challenge: discord,
    map,
  }),
  large: defineWebhook({ verify: hmac, challenge: () => 'x'.repeat(20_000), map }),
  none: defineWebhook({ verify: hmac, map }),
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
    agents: [defineAgent({ name: 'triage', version: '1', model: { name: 'm' }, system: 's', tools: [] })],
    priceOf: async () => undefined,
    countDead: () => undefined,
  };
});

async function ask(method: string, source: string, { query = '', body = '', signed = false } = {}) {
  const mac = createHmac('sha256', 'hush').update(body).digest('hex');
  const event = eventOf({ body, headers: { 'x-sig': signed ? mac : 'a'.repeat(64) } });
  const sent = {
    ...event,
    rawPath: `/hooks/${source}`,
    rawQueryString: query,
    pathParameters: { source },
    requestContext: { ...event.requestContext, http: { ...event.requestContext.http, method } },
  };
  const answered = await takeDelivery(sent, context).catch((error: unknown) => {
    if (error instanceof Refusal) return { statusCode: error.problem.status, body: error.problem.title };
    throw error;
  });
  return answered;
}

describe('a challenge', () => {
  test('of Meta is answered to the holder of the token, as text that no browser takes for a page', async () => {
    const query = (token: string) =>
      `hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=${encodeURIComponent('<b>1</b>')}`;
    expect(await ask('GET', 'meta', { query: query('hush') })).toEqual({
      statusCode: 200,
      body: '<b>1</b>',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
    expect(await ask('GET', 'meta', { query: query('guess') })).toMatchObject({ statusCode: 404 });
    expect(await ask('GET', 'meta')).toMatchObject({ statusCode: 404 });
  });

  test('of Microsoft Graph is answered without a body and without a signature', async () => {
    const asked = await ask('POST', 'graph', { query: 'validationToken=abc%20d' });
    expect(asked).toMatchObject({ statusCode: 200, body: 'abc d' });
  });

  test('of monday.com is answered as JSON, and begins nothing', async () => {
    const asked = await ask('POST', 'monday', { body: '{"challenge":"x"}' });
    expect(asked).toMatchObject({ statusCode: 200, body: '{"challenge":"x"}' });
    expect(world.queue.visible()).toHaveLength(0);
  });

  test('of X is answered with a hash by the secret', async () => {
    const { body } = await ask('GET', 'crc', { query: 'crc_token=t' });
    const mac = createHmac('sha256', 'hush').update('t').digest('base64');
    expect(JSON.parse(body ?? '')).toEqual({ response_token: `sha256=${mac}` });
  });

  test('of Discord is answered only if it is signed', async () => {
    const ping = '{"type":1}';
    expect(await ask('POST', 'discord', { body: ping })).toMatchObject({ statusCode: 401 });
    const asked = await ask('POST', 'discord', { body: ping, signed: true });
    expect(asked).toMatchObject({ statusCode: 200, body: ping });
    expect(world.queue.visible()).toHaveLength(0);
    const told = await ask('POST', 'discord', { body: '{"type":2}', signed: true });
    expect(told).toMatchObject({ statusCode: 202 });
  });

  test('does not open a source: other requests without a signature are refused', async () => {
    for (const source of ['meta', 'graph', 'monday', 'crc'])
      expect(await ask('POST', source, { body: '{"n":1}' })).toMatchObject({ statusCode: 401 });
    expect(world.queue.visible()).toHaveLength(0);
    for (const source of ['graph', 'monday'])
      expect(await ask('POST', source, { body: '{"n":1}', signed: true })).toMatchObject({
        statusCode: 202,
      });
  });

  test('that a source does not declare is 404, and reads no secret', async () => {
    context = {
      ...context,
      secretsOf: async () => {
        throw new Error('no secret is read');
      },
    };
    expect(await ask('GET', 'none', { query: `hub.challenge=${randomUUID()}` })).toMatchObject({
      statusCode: 404,
      body: 'No such challenge',
    });
    expect(await ask('GET', 'other')).toMatchObject({ statusCode: 404, body: 'No such webhook' });
  });

  test('is never answered with more than a short text', async () => {
    await expect(ask('GET', 'large')).rejects.toThrow('more than 10000 characters');
  });
});
