import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clients, clients, connectionsAt } from '../../shared/aws/clients.ts';
import { createConfig } from '../../shared/aws/config.ts';
import { awsPorts, ids } from '../../shared/aws/ports.ts';
import { resources } from '../../shared/aws/resources.ts';
import { createSecrets } from '../../shared/aws/secrets.ts';
import { SECRET_LIFETIME_MS, type Secrets } from '../../shared/edge/secrets.ts';
import { createConfig as createMemoryConfig } from '../../shared/memory/config.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { wallClock } from '../../shared/wall-clock.ts';
import { virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { anEvent, aSession, key, now } from './harness.ts';

describe('T2: aws resources', () => {
  test('are the worker’s share of resources, as far as they can be read', () => {
    const { memory, ...rest } = resources.read();
    expect(memory).toBeGreaterThan(0);
    for (const share of [memory ?? 0, ...Object.values(rest)]) expect(share).toBeLessThan(1.5);
    if (process.platform === 'linux') expect(rest.files).toBeGreaterThan(0);
  });
});

describe('aws secrets', () => {
  let server: Server;
  let asked = 0;
  const time = virtualClock();

  beforeAll(async () => {
    server = createServer((_request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(400).end(JSON.stringify({ __type: 'ResourceNotFoundException' }));
      else response.end(JSON.stringify({ SecretString: `value ${asked}` }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  function secrets(): Secrets {
    const { port } = server.address() as AddressInfo;
    const client = new SecretsManagerClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      endpoint: `http://127.0.0.1:${port}`,
    });
    return createSecrets(async () => client, time);
  }

  test('are fetched once in five minutes, and again after a failure', async () => {
    const { get, refresh } = secrets();
    await expect(get('key')).rejects.toThrow();
    expect(await Promise.all([get('key'), get('key')])).toEqual(['value 2', 'value 2']);
    await time.advance(SECRET_LIFETIME_MS - 1);
    expect(await get('key')).toBe('value 2');
    await time.advance(1);
    expect(await get('key')).toBe('value 3');
    expect(await get('other')).toBe('value 4');
    expect(await refresh('key')).toBe('value 5');
    expect(await get('key')).toBe('value 5');
  });
});

for (const [name, config] of Object.entries({
  memory: createMemoryConfig({ API_URL: 'https://x' }, { API_KEY: 'secret of arn1' }),
  aws: createConfig({
    settings: { API_URL: 'https://x', EMPTY: undefined },
    secretIds: { API_KEY: 'arn1', EMPTY: undefined },
    secrets: { get: async (id) => `secret of ${id}`, refresh: async (id) => id },
  }),
})) {
  test(`${name} config: settings and secrets by name, and no others`, async () => {
    expect(config.setting('API_URL')).toBe('https://x');
    expect(config.setting('OTHER')).toBeUndefined();
    expect(await config.secret('API_KEY')).toBe('secret of arn1');
    await expect(config.secret('OTHER')).rejects.toThrow('OTHER');
    await expect(config.secret('EMPTY')).rejects.toThrow('EMPTY');
  });
}

describe('aws ports', () => {
  let aws: EmbeddedAws;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());

  test('are built from names alone', async () => {
    const ports = awsPorts({
      tableName: await aws.createTable(),
      stepQueueUrls: [await aws.createQueue('steps')],
      socketUrl: 'wss://socket.example/live',
      bucket: aws.bucket,
      clients: aws.clients,
    });
    await ports.sessions.create(aSession());
    const accepted = await ports.inbox.accept(key, anEvent('e1'), now);
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
    await ports.queue.send(accepted.wake);
    expect(await ports.sessions.read(key)).toMatchObject({ dueAt: now });
  });

  test('secrets are cached once for all ports of an environment', () => {
    const options = {
      tableName: 't',
      stepQueueUrls: ['https://q'],
      socketUrl: 'wss://s',
      bucket: 'b',
      clients: aws.clients,
    };
    expect(awsPorts(options).secrets).toBe(awsPorts(options).secrets);
  });

  test('the sockets’ endpoint is the same URL over HTTP', () => {
    expect(connectionsAt('wss://x.example/live')).toEqual({
      endpoint: 'https://x.example/live',
      maxAttempts: 1,
    });
    expect(connectionsAt('ws://127.0.0.1:1/live')).toMatchObject({ endpoint: 'http://127.0.0.1:1/live' });
  });

  test('ids are letters and digits, and never repeat', () => {
    const many = Array.from({ length: 1000 }, () => ids.next());
    expect(new Set(many).size).toBe(1000);
    for (const id of many) expect(id).toMatch(/^[a-z0-9]{26}$/);
    expect(ids.random()).toBeLessThan(1);
  });

  test('sleep ends early when it is aborted', async () => {
    const stop = new AbortController();
    const slept = wallClock.sleep(60_000, stop.signal);
    stop.abort();
    await slept;
    await wallClock.sleep(60_000, AbortSignal.abort());
    const before = wallClock.now();
    await wallClock.sleep(20);
    expect(wallClock.now() - before).toBeGreaterThanOrEqual(15);
  });

  test('clients are built once', async () => {
    process.env.AWS_REGION ??= 'us-east-1';
    const ours: Clients = clients;
    expect(ours.dynamo()).toBe(ours.dynamo());
    expect(ours.sockets('wss://a')).toBe(ours.sockets('wss://a'));
    expect(ours.sockets('wss://a')).not.toBe(ours.sockets('wss://b'));
    expect(await (await ours.sockets('wss://a')).config.maxAttempts()).toBe(1);
    expect(await ours.dynamo().config.maxAttempts()).toBe(3);
  });
});

// DeepSeek is cheaper at night.
test.for(['08:00', '18:00'])(
  'prices are USD per million tokens, for the base tier and the dearest hour: looked up at %s',
  async (hour) => {
    vi.useFakeTimers({ now: new Date(`2026-11-22T${hour}:00Z`), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await priceOf('claude-opus-5-5')).toMatchObject({
      ...{ input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      window: 1_000_000,
    });
    expect(await priceOf('claude-sonnet-4-5')).toMatchObject({
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
      window: 200_000,
    });
    expect(await priceOf('deepseek-chat')).toMatchObject({
      input: 0.27,
      output: 1.1,
      cacheRead: 0.07,
      cacheWrite: 0.27,
      window: 131_072,
    });
    expect(await priceOf('no-such-model')).toBeUndefined();
  },
);
