import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { direct } from '../../shared/aws/direct.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { Sha256 } from '../../shared/aws/sha256.ts';

/** The short path to a service behaves like the SDK, both for the caller and for the service. */

interface Seen {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse) => unknown;

const nothing = () => {};
/** The SDK warns when a queue is in another region. */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
const servers: { close(): unknown; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  vi.unstubAllEnvs();
});

/** A service that gives these answers in turn, and repeats the last one. */
async function service(...answers: Answer[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part) => parts.push(part))
      .on('end', () => {
        seen.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
        (answers.length > 1 ? answers.shift() : answers[0])?.(response);
      });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const says =
  (status: number, body: unknown, headers = {}): Answer =>
  (response) =>
    response
      .writeHead(status, {
        'content-type': 'application/x-amz-json-1.0',
        'x-amzn-requestid': 'r1',
        ...headers,
      })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
const fails = (type: string, more: object = {}) =>
  says(400, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no', ...more });
const hangsUp: Answer = (response) => response.destroy();
const isSilent: Answer = nothing;

const options = (endpoint: string) => ({
  endpoint,
  region: 'eu-central-1',
  credentials,
  maxAttempts: 3,
  requestHandler: { socketTimeout: 150 },
});

const stored = {
  Item: {
    pk: { S: 'a' },
    n: { N: '1' },
    b: { B: 'AAEC' },
    set: { SS: ['x'] },
    m: { M: { l: { L: [{ BOOL: true }] } } },
  },
};
/** The answer to a write. */
const written = { Attributes: stored.Item };
const key = { pk: { S: 'a' }, sk: { S: 'ü "b"' } };
const write = {
  TableName: 't',
  Item: { ...key, bytes: { B: new Uint8Array([0, 1, 255]) } },
  ConditionExpression: 'x',
};

/** The outcome of a command: its output, or the parts of an error that callers look at. */
async function outcomeOf(asked: Promise<unknown>) {
  try {
    return { output: await asked };
  } catch (thrown) {
    const { $metadata, name, message, ...rest } = thrown as Error & { $metadata?: object; Item?: unknown };
    return {
      name,
      message: message.replace(/127\.0\.0\.1:\d+/, 'there'),
      metadata: { ...$metadata, totalRetryDelay: undefined },
      item: rest.Item,
      conditional: thrown instanceof ConditionalCheckFailedException,
      outage: isOutage(thrown),
    };
  }
}

type Send = (command: never) => Promise<unknown>;

/** Runs one command both ways. The short path is taken after a first call through the SDK. Each way gets `answers`. */
async function bothWays(
  clientOf: (at: ReturnType<typeof options>) => { send: Send },
  command: () => unknown,
  answers: Answer[],
  greeting: Answer = says(200, {}),
) {
  const own = await service(...answers);
  const wanted = await outcomeOf(clientOf(options(own.endpoint)).send(command() as never));
  const short = await service(greeting, ...answers);
  const client = direct(clientOf(options(short.endpoint)) as unknown as DynamoDBClient) as unknown as {
    send: Send;
  };
  await outcomeOf(client.send(command() as never));
  const got = await outcomeOf(client.send(command() as never));
  return { wanted, got, asSdk: own.seen, asShort: short.seen.slice(1) };
}

const dynamo = (at: ReturnType<typeof options>) => new DynamoDBClient(at) as { send: Send };

describe('the short path to DynamoDB', () => {
  const table = { TableName: 't' };
  test.each([
    ['a get', () => new GetItemCommand({ ...table, Key: key, ConsistentRead: true }), stored],
    ['a put', () => new PutItemCommand(write), written],
    [
      'an update',
      () =>
        new UpdateItemCommand({
          ...table,
          Key: key,
          UpdateExpression: 'SET #a = :a',
          ReturnValues: 'ALL_NEW',
        }),
      written,
    ],
    ['a delete', () => new DeleteItemCommand({ ...table, Key: key }), {}],
    [
      'a query',
      () => new QueryCommand({ ...table, KeyConditionExpression: 'x', Limit: 2 }),
      { Items: [stored.Item], LastEvaluatedKey: key },
    ],
    [
      'a batch',
      () => new BatchGetItemCommand({ RequestItems: { t: { Keys: [key] } } }),
      { Responses: { t: [stored.Item] }, UnprocessedKeys: {} },
    ],
  ])('sends %s as the SDK does, and returns the same', async (_, command, answer) => {
    const { wanted, got, asSdk, asShort } = await bothWays(dynamo, command, [says(200, answer)]);
    expect(got).toEqual(wanted);
    expect(asShort.map(contentOf)).toEqual(asSdk.map(contentOf));
  });

  test.each<[string, Answer[], number]>([
    [
      'a refusal with the item as it stood',
      [fails('ConditionalCheckFailedException', { Item: stored.Item })],
      1,
    ],
    ['a refusal for ever', [fails('ResourceNotFoundException')], 1],
    ['a wrong request', [fails('ValidationException')], 1],
    ['throttling that passes', [fails('ProvisionedThroughputExceededException'), says(200, written)], 2],
    ['throttling that stays', [fails('ThrottlingException')], 3],
    ['a failing server', [says(500, { __type: 'InternalServerError', message: 'no' })], 3],
    ['a proxy’s page in place of an answer', [says(503, '<html>', { 'content-type': 'text/html' })], 3],
    ['a connection that breaks', [hangsUp, says(200, written)], 2],
    ['connections that break', [hangsUp], 3],
    ['a server that says nothing', [isSilent, says(200, written)], 2],
  ])('handles %s as the SDK does', async (_, answers, attempts) => {
    const { wanted, got, asSdk, asShort } = await bothWays(dynamo, () => new PutItemCommand(write), answers);
    expect(metadataLess(got)).toEqual(metadataLess(wanted));
    expect([asShort.length, asSdk.length]).toEqual([attempts, attempts]);
  });

  test('signs each attempt again, as the SDK’s signer would', async () => {
    const { seen, endpoint } = await service(says(200, {}), fails('ThrottlingException'), says(200, {}));
    const client = direct(new DynamoDBClient({ ...options(endpoint), sha256: Sha256 }));
    await client.send(new PutItemCommand(write));
    await client.send(new PutItemCommand(write));
    expect(seen).toHaveLength(3);
    for (const request of seen)
      expect(request.headers.authorization).toBe(await signatureOf(request, 'dynamodb'));
    expect(seen[1]?.headers['amz-sdk-request']).toBe('attempt=1; max=3');
    expect(seen[2]?.headers['amz-sdk-request']).toBe('attempt=2; max=3');
  });

  test('signs with current keys, and asks for new ones when they expire, as the SDK does', async () => {
    const keysOf = async (way: (client: DynamoDBClient) => DynamoDBClient) => {
      let given = 0;
      const { seen, endpoint } = await service(says(200, {}));
      const provider = async () => ({
        accessKeyId: `KEY${++given}`,
        secretAccessKey: `secret ${given}`,
        // The SDK treats keys as expired five minutes early.
        expiration: new Date(Date.now() + (given < 3 ? 60_000 : 3_600_000)),
      });
      const client = way(new DynamoDBClient({ ...options(endpoint), credentials: provider, sha256: Sha256 }));
      for (let call = 0; call < 6; call++)
        await client.send(new GetItemCommand({ TableName: 't', Key: key }));
      return seen.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]);
    };
    const short = await keysOf(direct);
    expect(short.at(-1)).toBe('KEY3');
    expect(new Set(short)).toEqual(new Set(await keysOf((client) => client)));
  });

  test('passes on the trace of its invocation, which Lambda uses to detect loops', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'step');
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-2-3');
    const { asShort } = await bothWays(dynamo, () => new PutItemCommand(write), [says(200, {})]);
    expect(asShort[0]?.headers['x-amzn-trace-id']).toBe('Root=1-2-3');
  });

  test('serves concurrent calls, each with its own answer', async () => {
    let answered = 0;
    const { endpoint } = await service((response) => {
      const n = String(answered++);
      setTimeout(() => says(200, { Item: { n: { N: n } } })(response), 5);
    });
    const client = direct(new DynamoDBClient(options(endpoint)));
    const get = async () => (await client.send(new GetItemCommand({ TableName: 't', Key: key }))).Item?.n?.N;
    await get();
    const got = await Promise.all(Array.from({ length: 40 }, get));
    expect(new Set(got).size).toBe(40);
  });
});

describe('the short path to SQS', () => {
  const sqs = (at: ReturnType<typeof options>) => new SQSClient(at) as { send: Send };
  const sent = () =>
    new SendMessageCommand({
      QueueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/q',
      MessageBody: '{"a":"ü"}',
      DelaySeconds: 3,
      MessageGroupId: 'g',
    });
  const digest = 'd15b6a6d4ee1e6ae3e4ba20ba3a1c1d3';

  test('sends a message as the SDK does', async () => {
    const { asSdk, asShort } = await bothWays(sqs, sent, [
      says(200, { MessageId: 'm', MD5OfMessageBody: digest }),
    ]);
    expect(asShort.map(contentOf)).toEqual(asSdk.map(contentOf));
  });

  test('handles a missing queue as the SDK does', async () => {
    const gone = says(
      400,
      { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'no' },
      { 'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender' },
    );
    const { wanted, got } = await bothWays(sqs, sent, [gone]);
    expect(got).toEqual(wanted);
  });

  test('finds queues in two regions', async () => {
    const [one, other] = [await service(says(200, {})), await service(says(200, {}))];
    const client = direct(
      new SQSClient({
        region: 'eu-central-1',
        credentials,
        useQueueUrlAsEndpoint: true,
        logger: silent,
      }),
    );
    const hide = (at: string) =>
      client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: `${at}/1/q`,
          ReceiptHandle: 'r',
          VisibilityTimeout: 1,
        }),
      );
    for (const at of [one, other, other, one, one]) await hide(at.endpoint);
    expect([one.seen.length, other.seen.length]).toEqual([3, 2]);
  });
});

/** The parts of a request that a service looks at. */
const contentOf = ({ path, headers, body }: Seen) => ({
  path,
  type: headers['content-type'],
  target: headers['x-amz-target'],
  token: headers['x-amz-security-token'],
  query: headers['x-amzn-query-mode'],
  length: headers['content-length'],
  body: JSON.parse(body),
});

const metadataLess = (outcome: Awaited<ReturnType<typeof outcomeOf>>) => {
  const output = outcome.output as { $metadata?: { totalRetryDelay?: number } } | undefined;
  return output ? { ...output, $metadata: { ...output.$metadata, totalRetryDelay: undefined } } : outcome;
};

/** The signature that a request must have, made by the SDK's signer with its own hashes. */
async function signatureOf({ headers, body, path = '' }: Seen, name: string): Promise<string | undefined> {
  const { Sha256: own } = await import('@smithy/core/checksum');
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const date = String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const signed = await new SignatureV4({
    credentials,
    region: 'eu-central-1',
    service: name,
    sha256: own as never,
    applyChecksum: false,
  }).sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path,
      query: {},
      headers: Object.fromEntries(names.split(';').map((one) => [one, String(headers[one])])),
      body,
    },
    { signingDate: new Date(date) },
  );
  return signed.headers.authorization;
}
