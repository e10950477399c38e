import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiGatewayManagementApiClient,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { awsJsonClient } from '../../local/stack/aws-json.ts';
import type { InvocationEvent } from '../../local/stack/lambda/function.ts';
import { type RunningStack, startStack } from '../../local/stack/stack.ts';
import type { WireCall } from '../../local/stack/wire.ts';
import { signedFetch } from '../support/signed.ts';
import { api, arn, eventually, lambda, mapping, queue, table, writeAssembly } from './local-stack.fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'local-stack-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A started stack with its functions' output (one JSON value a line) and its invocations. */
interface Watched {
  stack: RunningStack;
  said: Record<string, unknown>[];
  invocations: InvocationEvent[];
  send(queueOutput: string, body: unknown): Promise<void>;
}

async function watch(
  options: Omit<Parameters<typeof startStack>[0], 'log' | 'onInvocation'>,
): Promise<Watched> {
  const said: Record<string, unknown>[] = [];
  const invocations: InvocationEvent[] = [];
  const log = (line: string): void => {
    const text = line.replace(/^\[\w+\] /, '');
    if (text.startsWith('{')) said.push(JSON.parse(text));
  };
  const stack = await startStack({ ...options, log, onInvocation: (event) => invocations.push(event) });
  const sqs = awsJsonClient(stack.endpoints.sqs, 'AmazonSQS');
  const send = async (output: string, body: unknown): Promise<void> => {
    await sqs.call('SendMessage', { QueueUrl: stack.outputs[output], MessageBody: JSON.stringify(body) });
  };
  return { stack, said, invocations, send };
}

function outputs(references: Record<string, unknown>): object {
  return {
    Outputs: Object.fromEntries(Object.entries(references).map(([name, Value]) => [name, { Value }])),
  };
}

describe('HTTP API and functions', () => {
  const code = `
    export const echo = async (event) => ({ statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) });
    export const reply = async (event) => {
      switch (event.pathParameters.what) {
        case 'bytes': return { statusCode: 201, isBase64Encoded: true, body: Buffer.from([0, 255, 1]).toString('base64'), headers: { 'Content-Type': 'image/x' }, cookies: ['a=1', 'b=2'] };
        case 'plain': return { hello: 'world' };
        case 'throw': throw new TypeError('no such luck');
        case 'exit': process.exit(3);
      }
    };
    export const look = async (event, context) => ({ environment: process.env, name: context.functionName, remaining: context.getRemainingTimeInMillis(), id: context.awsRequestId });
    export const spin = async () => { for (;;); };
    export const wait = () => sleep(100);
    export const fail = async () => { throw new RangeError('out of it'); };
    export const stored = async (event) => {
      const { S3Client, PutObjectCommand, GetObjectCommand } = sdk('@aws-sdk/client-s3');
      const s3 = new S3Client({});
      await s3.send(new PutObjectCommand({ Bucket: process.env.BUCKET, Key: 'a/b', Body: event.text }));
      const found = await s3.send(new GetObjectCommand({ Bucket: process.env.BUCKET, Key: 'a/b' }));
      return found.Body.transformToString();
    };
    export const secret = async () => {
      const { SecretsManagerClient, GetSecretValueCommand } = sdk('@aws-sdk/client-secrets-manager');
      const read = (SecretId) => new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId }));
      return { text: (await read(process.env.SECRET)).SecretString, missing: await read('nope').catch((error) => error.name) };
    };
  `;
  const resources = {
    Echo: lambda('echo'),
    Common: lambda('echo', { Handler: 'common.handler' }),
    Reply: lambda('reply'),
    Look: lambda(
      'look',
      { Timeout: 9, MemorySize: 512 },
      {
        GIVEN: { 'Fn::Join': ['/', [{ Ref: 'AWS::StackName' }, { Ref: 'Mode' }]] },
        HOME_URL: { 'Fn::GetAtt': ['Http', 'ApiEndpoint'] },
      },
    ),
    Spin: lambda('spin', { Timeout: 1 }),
    Fail: lambda('fail'),
    Single: lambda('wait', { ReservedConcurrentExecutions: 1 }),
    Stored: lambda('stored', {}, { BUCKET: { Ref: 'Bucket' } }),
    Reader: lambda('secret', {}, { SECRET: { Ref: 'Secret' } }),
    Bucket: { Type: 'AWS::S3::Bucket' },
    Secret: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: {
        GenerateSecretString: {
          SecretStringTemplate: '{"user":"me"}',
          GenerateStringKey: 'key',
          PasswordLength: 20,
          ExcludePunctuation: true,
        },
      },
    },
    ...api(
      'Http',
      'HTTP',
      { 'ANY /echo/{name}': 'Echo', 'POST /raw': 'Echo', 'GET /reply/{what}': 'Reply' },
      {
        CorsConfiguration: {
          AllowOrigins: ['https://page.example'],
          AllowMethods: ['*'],
          AllowHeaders: ['content-type'],
          MaxAge: 60,
        },
      },
    ),
  };
  let it: Watched;
  let url: string;
  beforeAll(async () => {
    process.env.ANTHROPIC_API_KEY_OF_THE_USER = 'leaked';
    const assembly = writeAssembly(join(root, 'http'), resources, code, {
      Parameters: { Mode: { Type: 'String', Default: 'none' } },
      ...outputs({
        Url: { 'Fn::GetAtt': ['Http', 'ApiEndpoint'] },
        ByHand: {
          'Fn::Join': [
            '',
            [
              'https://',
              { Ref: 'Http' },
              '.execute-api.',
              { Ref: 'AWS::Region' },
              '.',
              { Ref: 'AWS::URLSuffix' },
              '/',
            ],
          ],
        },
      }),
    });
    it = await watch({ assembly, parameters: { Mode: 'test' } });
    url = it.stack.outputs.Url ?? '';
  });
  afterAll(() => it.stack.stop());

  test('a request becomes a payload 2.0 event', async () => {
    const response = await fetch(`${url}/echo/a%20b?x=1&x=2&y=z`, {
      headers: { 'X-Mine': 'yes', cookie: 'one=1; two=2' },
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    const event = (await response.json()) as Record<string, unknown>;
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'ANY /echo/{name}',
      rawPath: '/echo/a%20b',
      rawQueryString: 'x=1&x=2&y=z',
      queryStringParameters: { x: '1,2', y: 'z' },
      pathParameters: { name: 'a b' },
      cookies: ['one=1', 'two=2'],
      headers: { 'x-mine': 'yes' },
      requestContext: {
        stage: '$default',
        accountId: '000000000000',
        http: { method: 'GET', sourceIp: '127.0.0.1' },
      },
      isBase64Encoded: false,
    });
    expect(event).not.toHaveProperty('body');
  });

  test('JSON bodies stay text byte for byte, others arrive in base64', async () => {
    const post = async (type: string, body: string | Buffer): Promise<unknown> => {
      const response = await fetch(`${url}/raw`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: new Uint8Array(Buffer.from(body)),
      });
      const { body: seen, isBase64Encoded } = (await response.json()) as {
        body: string;
        isBase64Encoded: boolean;
      };
      return [seen, isBase64Encoded];
    };
    expect(await post('application/json; charset=utf-8', '{ "é" : 1 }\n')).toEqual(['{ "é" : 1 }\n', false]);
    expect(await post('application/x-www-form-urlencoded', 'a=b')).toEqual([
      Buffer.from('a=b').toString('base64'),
      true,
    ]);
    expect(await post('application/octet-stream', Buffer.from([0, 200]))).toEqual([
      Buffer.from([0, 200]).toString('base64'),
      true,
    ]);
  });

  test('replies carry bytes, cookies and inferred JSON', async () => {
    const bytes = await fetch(`${url}/reply/bytes`);
    expect([bytes.status, bytes.headers.get('content-type'), bytes.headers.getSetCookie()]).toEqual([
      201,
      'image/x',
      ['a=1', 'b=2'],
    ]);
    expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([0, 255, 1]);
    expect(await (await fetch(`${url}/reply/plain`)).json()).toEqual({ hello: 'world' });
  });

  test('a failing function is a 500, a crashing one too, an unknown path a 404, a huge body a 413', async () => {
    const status = async (path: string, init?: RequestInit): Promise<number> =>
      (await fetch(url + path, init)).status;
    expect(await status('/reply/throw')).toBe(500);
    expect(await status('/reply/exit')).toBe(500);
    expect(await status('/nowhere')).toBe(404);
    expect(await status('/raw', { method: 'POST', body: new Uint8Array(10 * 1024 * 1024 + 1) })).toBe(413);
    expect(
      it.invocations.filter(({ functionId }) => functionId === 'Reply').map(({ outcome }) => outcome),
    ).toContain('killed');
  });

  test('the API answers preflight requests according to its CORS settings', async () => {
    const preflight = (origin: string): Promise<Response> =>
      fetch(`${url}/nowhere`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const allowed = await preflight('https://page.example');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://page.example',
    ]);
    expect((await preflight('https://other.example')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a function sees its own environment and nothing of the parent process', async () => {
    const seen = (await it.stack.invoke('Look', {})) as {
      environment: Record<string, string>;
      name: string;
      remaining: number;
    };
    expect(seen.environment).toMatchObject({
      GIVEN: 'Fixture/test',
      HOME_URL: url,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_ENDPOINT_URL_DYNAMODB: it.stack.endpoints.dynamodb,
    });
    expect(seen.environment).not.toHaveProperty('ANTHROPIC_API_KEY_OF_THE_USER');
    expect(seen.name).toBe('Fixture-Look');
    expect(seen.remaining).toBeGreaterThan(5_000);
    expect(seen.remaining).toBeLessThanOrEqual(9_000);
    expect(it.stack.outputs.ByHand).toBe(`${url}/`);
  });

  test('CommonJS handlers run, whatever package.json is above the assembly', async () => {
    expect(await it.stack.invoke('Common', {})).toBe('/');
  });

  test('environments are reused, one invocation at a time', async () => {
    await it.stack.invoke('Look', {});
    await it.stack.invoke('Look', {});
    await Promise.all([it.stack.invoke('Look', {}), it.stack.invoke('Look', {})]);
    const ids = it.invocations
      .filter(({ functionId, kind }) => functionId === 'Look' && kind === 'end')
      .map((event) => event.environmentId);
    expect(new Set(ids).size).toBe(2);
  });

  test('a function over its reserved concurrency is throttled', async () => {
    const results = await Promise.allSettled([it.stack.invoke('Single', {}), it.stack.invoke('Single', {})]);
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { reason: { name: 'TooManyRequestsException' } },
    ]);
  });

  test('a function that never yields is killed at its timeout, and the next invocation works', async () => {
    await expect(it.stack.invoke('Spin', {})).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
    expect(it.invocations.at(-1)).toMatchObject({ functionId: 'Spin', outcome: 'timeout' });
    await expect(it.stack.invoke('Fail', {})).rejects.toMatchObject({
      name: 'RangeError',
      message: 'out of it',
    });
  });

  test('the AWS SDK inside functions reaches S3 and Secrets Manager through the environment alone', async () => {
    expect(await it.stack.invoke('Stored', { text: 'kept' })).toBe('kept');
    const { text, missing } = (await it.stack.invoke('Reader', {})) as { text: string; missing: string };
    expect(JSON.parse(text)).toEqual({ user: 'me', key: expect.stringMatching(/^[a-zA-Z0-9]{20}$/) });
    expect(missing).toBe('ResourceNotFoundException');
  });
});

describe('WebSocket API', () => {
  const code = `
    export const connect = async (event) => { say({ at: 'connect', event }); return { statusCode: event.queryStringParameters?.token === 'good' ? 200 : 401 }; };
    export const answer = async () => ({ statusCode: 200, body: '{"answer":42}' });
    export const leave = async (event) => say({ at: 'disconnect', id: event.requestContext.connectionId, code: event.requestContext.disconnectStatusCode });
    export const message = async (event) => {
      const { connectionId, routeKey, eventType } = event.requestContext;
      if (event.body === 'throw') throw new Error('no');
      const to = process.env.SOCKET_URL.replace('ws', 'http') + '/live/@connections/' + encodeURIComponent(connectionId);
      const answer = await signed('execute-api', to, { method: 'POST', body: JSON.stringify({ routeKey, eventType, body: event.body.slice(0, 100) }) });
      return { statusCode: answer.status };
    };
  `;
  const url = { 'Fn::GetAtt': ['Socket', 'ApiEndpoint'] };
  const resources = {
    Connect: lambda('connect'),
    Leave: lambda('leave'),
    Answer: lambda('answer'),
    Message: lambda('message', {}, { SOCKET_URL: url }),
    ...api('Socket', 'WEBSOCKET', {
      $connect: 'Connect',
      $disconnect: 'Leave',
      $default: 'Message',
      special: 'Message',
      ask: 'Answer',
    }),
    Reply: {
      Type: 'AWS::ApiGatewayV2::RouteResponse',
      Properties: {
        ApiId: { Ref: 'Socket' },
        RouteId: { Ref: 'SocketRoute4' },
        RouteResponseKey: '$default',
      },
    },
  };
  let it: Watched;
  const calls: WireCall[] = [];
  let drop: 'before' | 'after' | undefined;
  beforeAll(async () => {
    const assembly = writeAssembly(join(root, 'socket'), resources, code, outputs({ Socket: url }));
    const wire = {
      before: (call: WireCall) => {
        calls.push(call);
        if (drop === 'before') return 'drop' as const;
      },
      after: () => (drop === 'after' ? ('drop' as const) : undefined),
    };
    it = await watch({ assembly, wire });
  });
  afterAll(() => it.stack.stop());

  const open = async (
    query = '?token=good',
  ): Promise<{ socket: WebSocket; frames: Record<string, unknown>[] }> => {
    const frames: Record<string, unknown>[] = [];
    const socket = new WebSocket(`${it.stack.outputs.Socket}/live${query}`);
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return { socket, frames };
  };
  const closing = (socket: WebSocket): Promise<number> =>
    new Promise((resolve) => socket.once('close', resolve));
  const lastConnection = (): string =>
    (
      it.said.findLast(({ at }) => at === 'connect') as {
        event: { requestContext: { connectionId: string } };
      }
    ).event.requestContext.connectionId;

  test('messages go to the selected route, and functions answer over @connections', async () => {
    const { socket, frames } = await open();
    socket.send('{"action":"special"}');
    socket.send('anything else');
    await eventually(() => frames.length === 2);
    expect(frames).toEqual(
      expect.arrayContaining([
        { routeKey: 'special', eventType: 'MESSAGE', body: '{"action":"special"}' },
        { routeKey: '$default', eventType: 'MESSAGE', body: 'anything else' },
      ]),
    );
    expect(calls).toContainEqual(
      expect.objectContaining({ service: 'connections', operation: 'PostToConnection' }),
    );
    socket.close(1000);
    await eventually(() => it.said.find(({ at, code }) => at === 'disconnect' && code === 1000));
  });

  test('$connect refuses with its own status', async () => {
    await expect(open('?token=bad')).rejects.toThrow('401');
    expect(it.said.findLast(({ at }) => at === 'connect')).toMatchObject({
      event: {
        queryStringParameters: { token: 'bad' },
        requestContext: { eventType: 'CONNECT', routeKey: '$connect', stage: 'live' },
      },
    });
  });

  test('a function’s result reaches the client only if the route has a response', async () => {
    const { socket, frames } = await open();
    socket.send('{"action":"ask"}');
    await eventually(() => frames.length > 0);
    expect(frames).toEqual([{ answer: 42 }]);
    socket.terminate();
  });

  test('a function that fails is reported to its client', async () => {
    const { socket, frames } = await open();
    socket.send('throw');
    await eventually(() => frames.length > 0);
    expect(frames[0]).toMatchObject({ message: 'Internal server error', connectionId: lastConnection() });
    socket.terminate();
  });

  test('frames over 32 KB and messages over 128 KB close the connection with 1009', async () => {
    const { socket, frames } = await open();
    socket.send('x'.repeat(32 * 1024));
    await eventually(() => frames.length === 1);
    const closed = closing(socket);
    socket.send('x'.repeat(32 * 1024 + 1));
    expect(await closed).toBe(1009);
    const fragmented = await open();
    const alsoClosed = closing(fragmented.socket);
    for (let part = 0; part < 5; part++) fragmented.socket.send('y'.repeat(30 * 1024), { fin: part === 4 });
    expect(await alsoClosed).toBe(1009);
    expect(fragmented.frames).toEqual([]);
  });

  test('the management SDK posts, looks up, and gets GoneException after the client left', async () => {
    const { socket, frames } = await open();
    const endpoint = `${it.stack.outputs.Socket?.replace('ws:', 'http:')}/live`;
    const client = new ApiGatewayManagementApiClient({
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'a' },
    });
    const ConnectionId = lastConnection();
    await client.send(new PostToConnectionCommand({ ConnectionId, Data: '{"hello":1}' }));
    await eventually(() => frames.length === 1);
    expect(frames).toEqual([{ hello: 1 }]);
    expect((await client.send(new GetConnectionCommand({ ConnectionId }))).Identity?.SourceIp).toBe(
      '127.0.0.1',
    );
    await expect(
      client.send(new PostToConnectionCommand({ ConnectionId, Data: 'z'.repeat(128 * 1024 + 1) })),
    ).rejects.toMatchObject({ name: 'PayloadTooLargeException' });
    socket.close();
    await closing(socket);
    await expect(
      client.send(new PostToConnectionCommand({ ConnectionId, Data: '{}' })),
    ).rejects.toMatchObject({ name: 'GoneException' });
  });

  test('the wire loses posts before or after they are applied', async () => {
    const { socket, frames } = await open();
    const post = (text: string): Promise<Response> =>
      signedFetch(
        'execute-api',
        `${it.stack.outputs.Socket?.replace('ws:', 'http:')}/live/@connections/${encodeURIComponent(lastConnection())}`,
        { method: 'POST', body: text },
      );
    drop = 'before';
    await expect(post('{"lost":true}')).rejects.toThrow();
    drop = 'after';
    await expect(post('{"applied":true}')).rejects.toThrow();
    drop = undefined;
    await eventually(() => frames.length === 1);
    expect(frames).toEqual([{ applied: true }]);
    socket.terminate();
  });
});

describe('queues', () => {
  const code = `
    const body = (record) => JSON.parse(record.body);
    const count = (record) => Number(record.attributes.ApproximateReceiveCount);
    export const partial = async ({ Records }) => {
      for (const record of Records) say({ at: 'partial', record });
      return { batchItemFailures: Records.filter((r) => body(r).bad && count(r) === 1).map((r) => ({ itemIdentifier: r.messageId })) };
    };
    export const hang = async ({ Records: [record] }) => {
      say({ at: 'hang', count: count(record) });
      if (count(record) === 1) await new Promise(() => setInterval(() => {}, 1000));
    };
    export const busy = async () => sleep(60);
    export const doomed = async ({ Records: [record] }) => { say({ at: 'doomed', count: count(record) }); throw new Error('always'); };
    export const undertaker = async ({ Records: [record] }) => say({ at: 'dead', body: body(record) });
  `;
  const resources = {
    ...{ PartialQueue: queue(1), Partial: lambda('partial'), M1: mapping('PartialQueue', 'Partial', 10, 2) },
    ...{ HangQueue: queue(1), Hang: lambda('hang'), M2: mapping('HangQueue', 'Hang', 1, 2) },
    ...{ BusyQueue: queue(30), Busy: lambda('busy'), M3: mapping('BusyQueue', 'Busy', 1, 2) },
    ...{
      DoomedQueue: queue(1, { queue: 'DeadQueue', after: 2 }),
      Doomed: lambda('doomed'),
      M4: mapping('DoomedQueue', 'Doomed', 1, 2),
    },
    ...{
      DeadQueue: queue(30),
      Undertaker: lambda('undertaker'),
      M5: mapping('DeadQueue', 'Undertaker', 1, 2),
    },
  };
  let it: Watched;
  beforeAll(async () => {
    const queues = ['PartialQueue', 'HangQueue', 'BusyQueue', 'DoomedQueue'];
    const assembly = writeAssembly(
      join(root, 'queues'),
      resources,
      code,
      outputs(Object.fromEntries(queues.map((id) => [id, { Ref: id }]))),
    );
    it = await watch({ assembly });
  });
  afterAll(() => it.stack.stop());

  test('only the reported messages of a batch come back, after their visibility timeout', async () => {
    await it.send('PartialQueue', { bad: true });
    await it.send('PartialQueue', { bad: false });
    const records = (): Record<string, Record<string, string>>[] =>
      it.said.filter(({ at }) => at === 'partial').map(({ record }) => record as never);
    await eventually(() => records().length === 3);
    const receives = records().map((record) => [
      JSON.parse(String(record.body)).bad,
      record.attributes?.ApproximateReceiveCount,
    ]);
    expect(receives.sort()).toEqual([
      [false, '1'],
      [true, '1'],
      [true, '2'],
    ]);
    expect(records()[0]).toMatchObject({
      messageId: expect.any(String),
      receiptHandle: expect.any(String),
      attributes: { SentTimestamp: expect.any(String) },
      messageAttributes: {},
      md5OfBody: expect.any(String),
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:Fixture-PartialQueue',
      awsRegion: 'us-east-1',
    });
  });

  test('the message of a killed environment is delivered again', async () => {
    await it.send('HangQueue', {});
    await eventually(() => it.said.find(({ at }) => at === 'hang'));
    expect(it.stack.kill('Hang')).toBe(1);
    await eventually(() => it.said.find(({ at, count }) => at === 'hang' && count === 2));
    await eventually(() =>
      it.invocations.find((event) => event.functionId === 'Hang' && event.outcome === 'ok'),
    );
    expect(
      it.invocations.filter((event) => event.functionId === 'Hang').map((event) => event.outcome),
    ).toContain('killed');
  });

  test('a mapping never runs more invocations than its maximum concurrency', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, number) => it.send('BusyQueue', { number })));
    const events = (): InvocationEvent[] => it.invocations.filter(({ functionId }) => functionId === 'Busy');
    await eventually(() => events().filter(({ kind }) => kind === 'end').length === 8);
    let running = 0;
    const levels = events().map(({ kind }) => {
      running += kind === 'start' ? 1 : -1;
      return running;
    });
    expect(Math.max(...levels)).toBe(2);
  });

  test('a message that fails too often is moved to the dead-letter queue', async () => {
    await it.send('DoomedQueue', { name: 'poison' });
    const dead = await eventually(() => it.said.find(({ at }) => at === 'dead'));
    expect(dead).toEqual({ at: 'dead', body: { name: 'poison' } });
    expect(it.said.filter(({ at }) => at === 'doomed').map(({ count }) => count)).toEqual([1, 2]);
  });
});

describe('state, schedules and faults', () => {
  const code = `
    export const remember = async ({ text }) => {
      await aws(process.env.AWS_ENDPOINT_URL_DYNAMODB, 'DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item: { pk: { S: text } } });
      await aws(process.env.QUEUE, 'AmazonSQS.SendMessage', { QueueUrl: process.env.QUEUE, MessageBody: JSON.stringify({ text }), DelaySeconds: 1 });
    };
    export const recall = async ({ text }) => (await aws(process.env.AWS_ENDPOINT_URL_DYNAMODB, 'DynamoDB_20120810.GetItem', { TableName: process.env.TABLE, Key: { pk: { S: text } } })).Item ?? null;
    export const receive = async ({ Records: [record] }) => say({ at: 'received', body: JSON.parse(record.body) });
    export const tick = async (event) => say({ at: 'tick', event });
  `;
  const variables = { TABLE: { Ref: 'Table' }, QUEUE: { Ref: 'Queue' } };
  const resources = {
    Table: table(),
    Queue: queue(5),
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { GenerateSecretString: {} } },
    Remember: lambda('remember', {}, variables),
    Recall: lambda('recall', {}, variables),
    Receive: lambda('receive'),
    Mapping: mapping('Queue', 'Receive', 1, 2),
  };
  const secretOf = async (stack: RunningStack): Promise<unknown> =>
    (
      await awsJsonClient(stack.endpoints.secretsManager, 'secretsmanager').call('GetSecretValue', {
        SecretId: 'Fixture-Secret',
      })
    ).SecretString;

  test('tables, messages and secrets survive a restart, also on another port', async () => {
    const assembly = writeAssembly(join(root, 'state'), resources, code);
    const data = join(root, 'state-data');
    const first = await watch({ assembly, data });
    await first.stack.invoke('Remember', { text: 'before' });
    const secret = await secretOf(first.stack);
    await expect(startStack({ assembly, data })).rejects.toThrow('in use by another running stack');
    await first.stack.stop();
    expect(first.said).toEqual([]);

    const second = await watch({ assembly, data });
    expect(second.stack.endpoints.sqs).not.toBe(first.stack.endpoints.sqs);
    expect(await second.stack.invoke('Recall', { text: 'before' })).toEqual({ pk: { S: 'before' } });
    expect(await secretOf(second.stack)).toBe(secret);
    expect(await eventually(() => second.said[0])).toEqual({ at: 'received', body: { text: 'before' } });
    await second.stack.stop();
  });

  test('the wire shows functions a call that never arrived, and one whose response was lost', async () => {
    const assembly = writeAssembly(join(root, 'wire'), resources, code);
    let losing: { operation: string; at: 'before' | 'after' } | undefined;
    const seen: string[] = [];
    const rule = (at: 'before' | 'after') => (call: WireCall) => {
      seen.push(`${at} ${call.service} ${call.operation}`);
      return losing?.at === at && losing.operation === call.operation ? ('drop' as const) : undefined;
    };
    const { stack } = await watch({ assembly, wire: { before: rule('before'), after: rule('after') } });
    losing = { operation: 'PutItem', at: 'before' };
    await expect(stack.invoke('Remember', { text: 'one' })).rejects.toThrow('fetch failed');
    losing = { operation: 'PutItem', at: 'after' };
    await expect(stack.invoke('Remember', { text: 'two' })).rejects.toThrow('fetch failed');
    losing = undefined;
    expect(await stack.invoke('Recall', { text: 'one' })).toBeNull();
    expect(await stack.invoke('Recall', { text: 'two' })).toEqual({ pk: { S: 'two' } });
    await stack.invoke('Remember', { text: 'three' });
    expect(new Set(seen)).toEqual(
      new Set(
        ['PutItem', 'GetItem']
          .flatMap((name) => [`before dynamodb ${name}`, `after dynamodb ${name}`])
          .concat('before sqs SendMessage', 'after sqs SendMessage'),
      ),
    );
    await stack.stop();
  });

  test('schedules fire after each interval, with their input or an EventBridge event', async () => {
    const timed = {
      Tick: lambda('tick'),
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 'T', Arn: arn('Tick') }] },
      },
      Plan: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(2 minutes)',
          Target: { Arn: arn('Tick'), Input: '{"mine":1}' },
        },
      },
      Off: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 minute)',
          State: 'DISABLED',
          Target: { Arn: arn('Tick'), Input: '"never"' },
        },
      },
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const it = await watch({ assembly: writeAssembly(join(root, 'timed'), timed, code) });
      expect(it.invocations).toEqual([]);
      vi.advanceTimersByTime(2 * 60_000);
      vi.useRealTimers();
      await eventually(() => it.said.length === 3);
      expect(it.said.filter(({ event }) => (event as { mine?: number }).mine === 1)).toHaveLength(1);
      expect(it.said).toContainEqual({
        at: 'tick',
        event: expect.objectContaining({
          source: 'aws.events',
          'detail-type': 'Scheduled Event',
          detail: {},
        }),
      });
      await it.stack.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  test('a template that cannot run is refused, with the names of what prevents it', async () => {
    const stream = { Type: 'AWS::Kinesis::Stream', Metadata: { 'aws:cdk:path': 'Fixture/Alerts/Stream' } };
    const heard = {
      Type: 'AWS::SNS::Subscription',
      Properties: { Protocol: 'lambda', Endpoint: arn('Tick') },
    };
    const start = (name: string, resources: object, more?: object): Promise<RunningStack> =>
      startStack({ assembly: writeAssembly(join(root, name), resources, code, more) });
    await expect(start('unknown', { Stream: stream })).rejects.toThrow(
      'Stream (AWS::Kinesis::Stream, Fixture/Alerts/Stream)',
    );
    await expect(start('topic', { Tick: lambda('tick'), Heard: heard })).rejects.toThrow(
      'Heard (AWS::SNS::Subscription)',
    );
    await expect(start('parameter', {}, { Parameters: { Mode: { Type: 'String' } } })).rejects.toThrow(
      'template parameter Mode has no default',
    );
    await expect(
      start('cron', {
        Tick: lambda('tick'),
        Rule: {
          Type: 'AWS::Events::Rule',
          Properties: { ScheduleExpression: 'cron(0 * * * ? *)', Targets: [{ Arn: arn('Tick') }] },
        },
      }),
    ).rejects.toThrow('cron');
    await expect(start('handler', { Bad: lambda('tick', { Handler: 'nothing.handler' }) })).rejects.toThrow(
      'Bad (AWS::Lambda::Function)',
    );
  });

  test('a port in use is named, and nothing is left running', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as { port: number };
    const assembly = writeAssembly(
      join(root, 'port'),
      { Tick: lambda('tick'), ...api('Http', 'HTTP', { $default: 'Tick' }) },
      code,
    );
    await expect(startStack({ assembly, port, data: join(root, 'port-data') })).rejects.toThrow(
      `port ${port} for the HTTP API is already in use`,
    );
    blocker.close();
    const stack = await startStack({ assembly, data: join(root, 'port-data') });
    await stack.stop();
  });
});

describe('a function URL', () => {
  const code = `
    const { setTimeout: pause } = await import('node:timers/promises');
    let left = 0;
    export const stream = awslambda.streamifyResponse(async (event, out) => {
      const head = { statusCode: 201, headers: { 'content-type': 'text/x' }, cookies: ['a=1'] };
      const body = awslambda.HttpResponseStream.from(out, head);
      body.write(event.requestContext.http.method + event.rawPath + event.body);
      if (event.rawPath === '/throw') throw new Error('in the middle');
      await pause(300);
      body.write('|later');
      body.end();
      say({ ended: event.rawPath });
    });
    export const early = awslambda.streamifyResponse(async () => { throw new Error('at once'); });`;
  const url = (target: string, more: object = {}) => ({
    Type: 'AWS::Lambda::Url',
    Properties: { TargetFunctionArn: arn(target), AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM', ...more },
  });
  const resources = (more: object = {}) => ({
    Stream: lambda('stream'),
    Early: lambda('early'),
    StreamUrl: url('Stream', more),
    EarlyUrl: url('Early'),
  });
  const assembly = (name: string, more?: object) =>
    writeAssembly(join(root, name), resources(more), code, {
      ...outputs({
        Stream: { 'Fn::GetAtt': ['StreamUrl', 'FunctionUrl'] },
        Early: { 'Fn::GetAtt': ['EarlyUrl', 'FunctionUrl'] },
      }),
    });

  let it: Watched;
  beforeAll(async () => {
    const cors = { AllowOrigins: ['*'], AllowMethods: ['POST'], AllowHeaders: ['authorization'] };
    it = await watch({ assembly: assembly('function-url', { Cors: cors }) });
  });
  afterAll(() => it.stack.stop());
  const post = (path: string, more: RequestInit = {}) =>
    fetch(`${it.stack.outputs.Stream}${path}`, { method: 'POST', body: '!', ...more });

  test('streams the pieces as they are written, with the head that the function chose', async () => {
    const response = await post('said');
    expect([response.status, response.headers.get('content-type')]).toEqual([201, 'text/x']);
    expect(response.headers.getSetCookie()).toEqual(['a=1']);
    const pieces: string[] = [];
    for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString());
    expect(pieces).toEqual(['POST/said!', '|later']);
  });

  test('does not stop the function when its client disconnects', async () => {
    const left = new AbortController();
    const response = await post('left', { signal: left.signal });
    expect(response.status).toBe(201);
    left.abort();
    await vi.waitFor(() => expect(it.said).toContainEqual({ ended: '/left' }), { timeout: 5_000 });
  });

  test('is cut when the function fails in the middle, and a 502 when it fails at once', async () => {
    await expect(post('throw').then((response) => response.text())).rejects.toThrow();
    expect((await fetch(String(it.stack.outputs.Early), { method: 'POST' })).status).toBe(502);
  });

  test('answers preflight requests according to its own CORS settings', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    const answer = await post('', { method: 'OPTIONS', headers, body: null });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(
      (await post('x', { headers: { origin: 'https://a.example' } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe('*');
  });

  test('is refused if it is not open or does not stream: nothing here has either', async () => {
    await expect(watch({ assembly: assembly('iam-url', { AuthType: 'AWS_IAM' }) })).rejects.toThrow(
      'AWS_IAM',
    );
    await expect(watch({ assembly: assembly('buffered-url', { InvokeMode: 'BUFFERED' }) })).rejects.toThrow(
      'BUFFERED',
    );
  });
});
