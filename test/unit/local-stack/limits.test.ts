import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AwsJson, awsJsonClient } from '../../../local/stack/aws-json.ts';
import { startHttpApi } from '../../../local/stack/gateway/http-api.ts';
import { refusalOfLink } from '../../../local/stack/iam/signature.ts';
import { functionWrong, mappingWrong } from '../../../local/stack/resources/lambda-limits.ts';
import { startDynamoDb } from '../../../local/stack/services/dynamodb.ts';
import { startQueues } from '../../../local/stack/services/queues.ts';
import { startSecretsManager } from '../../../local/stack/services/secrets-manager.ts';
import { signedFetch } from '../../support/signed.ts';

/** The embedded services refuse what AWS refuses (docs/aws-limits.md). */

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** A client of a service, which is stopped in the end. */
function clientOf(
  service: { endpoint: string; stop(): Promise<void> },
  target: Parameters<typeof awsJsonClient>[1],
): AwsJson {
  const { call, close } = awsJsonClient(service.endpoint, target);
  stops.push(service.stop, close);
  return call;
}

/** How a call ends: `ok`, or the error and its sentence. */
const ending = (call: Promise<unknown>): Promise<string> => call.then(() => 'ok', String);

describe('the embedded SQS', () => {
  let sqs: AwsJson;
  let endpoint: string;
  beforeAll(async () => {
    const queues = await startQueues(undefined);
    queues.createBucket('bucket');
    endpoint = queues.endpoint;
    sqs = clientOf(queues, 'AmazonSQS');
    await sqs('CreateQueue', { QueueName: 'q' });
  });
  const send = (input: object) =>
    ending(sqs('SendMessage', { QueueUrl: `${endpoint}/000000000000/q`, MessageBody: 'x', ...input }));
  const attributes = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`a${n}`, { DataType: 'String', StringValue: 'x' }]),
    );

  test.each<[string, object, object, string]>([
    ['a delay above 900 s', { DelaySeconds: 900 }, { DelaySeconds: 901 }, 'DelaySeconds must be >= 0'],
    ['a delay that is no whole number', { DelaySeconds: 1 }, { DelaySeconds: 1.5 }, 'DelaySeconds must be'],
    [
      'a message group of more than 128 characters',
      { MessageGroupId: 'g'.repeat(128) },
      { MessageGroupId: 'g'.repeat(129) },
      'MessageGroupId can only include',
    ],
    [
      'a message group with a space',
      { MessageGroupId: '!a-Z_9~' },
      { MessageGroupId: 'a b' },
      'MessageGroupId can only include',
    ],
    [
      'more than ten attributes',
      { MessageAttributes: attributes(10) },
      { MessageAttributes: attributes(11) },
      'attributes [11] exceeds',
    ],
    [
      'a message of more than 1 MiB',
      { MessageBody: 'x'.repeat(1_048_576) },
      { MessageBody: 'x'.repeat(1_048_577) },
      'Message must be shorter than 1048576 bytes',
    ],
    [
      'a character that XML does not allow',
      { MessageBody: '\ufffd 🦊 \u{10ffff}' },
      { MessageBody: '\ufffe' },
      'Invalid characters found',
    ],
  ])('refuses %s', async (_what, largest, larger, sentence) => {
    expect(await send(largest)).toBe('ok');
    expect(await send(larger)).toContain(sentence);
  });

  test('refuses to hide a message for more than twelve hours', async () => {
    const hide = (VisibilityTimeout: number) =>
      ending(
        sqs('ChangeMessageVisibility', {
          QueueUrl: `${endpoint}/000000000000/q`,
          ReceiptHandle: 'r',
          VisibilityTimeout,
        }),
      );
    expect(await hide(43_201)).toContain('Must be between 0 and 43200');
    expect(await hide(43_200)).not.toContain('Must be between');
  });

  test('refuses to keep messages for more than 14 days', async () => {
    const keep = (seconds: number) =>
      ending(
        sqs('SetQueueAttributes', {
          QueueUrl: `${endpoint}/000000000000/q`,
          Attributes: { MessageRetentionPeriod: String(seconds) },
        }),
      );
    expect(await keep(1_209_600)).toBe('ok');
    expect(await keep(1_209_601)).toContain('Must be between 60 and 1209600');
  });

  test('and the embedded S3 refuses a key of more than 1,024 bytes, escapes not counted', async () => {
    const put = (key: string) =>
      signedFetch('s3', `${endpoint}/bucket/${encodeURIComponent(key)}`, {
        method: 'PUT',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      });
    expect((await put(`${'é'.repeat(512)}`)).status).toBe(200);
    const refused = await put(`${'é'.repeat(512)}x`);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('<Code>KeyTooLongError</Code>');
  });
});

test('a signed link that is valid for more than a week is refused', () => {
  const link = (seconds: number) => ({
    method: 'GET',
    url: `/bucket/key?X-Amz-Date=20261128T000000Z&X-Amz-Expires=${seconds}&X-Amz-Signature=s`,
    headers: {},
    body: undefined,
  });
  const at = Date.UTC(2026, 10, 28, 0, 1);
  expect(refusalOfLink(link(604_801), at)).toEqual({ kind: 'lasting' });
  expect(refusalOfLink(link(604_800), at)).not.toEqual({ kind: 'lasting' });
});

describe('the embedded DynamoDB', () => {
  let dynamodb: AwsJson;
  beforeAll(async () => {
    dynamodb = clientOf(await startDynamoDb(undefined), 'DynamoDB_20120810');
    await dynamodb('CreateTable', {
      TableName: 'table',
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
  const put = (item: object) => ending(dynamodb('PutItem', { TableName: 'table', Item: item }));

  test('refuses an expression of more than 4 KB, whatever its kind', async () => {
    const padded = (expression: string, bytes: number) => expression.padEnd(bytes);
    const write = (set: number, when: number) =>
      ending(
        dynamodb('UpdateItem', {
          TableName: 'table',
          Key: key('a', 'b'),
          UpdateExpression: padded('SET x = :one', set),
          ConditionExpression: padded('attribute_not_exists(y)', when),
          ExpressionAttributeValues: { ':one': { N: '1' } },
        }),
      );
    expect(await write(4_096, 4_096)).toBe('ok');
    expect(await write(4_097, 100)).toContain(
      'Invalid UpdateExpression: Expression size has exceeded the maximum allowed size; expression size: 4097',
    );
    expect(await write(100, 4_097)).toContain('Invalid ConditionExpression: Expression size');
  });

  test('refuses an item of more than 400 KB, put or updated, by its bytes', async () => {
    const most = 409_600 - 'pkskbodyab'.length;
    const item = (body: string) => ({ ...key('a', 'b'), body: { S: body } });
    const update = (body: string) =>
      ending(
        dynamodb('UpdateItem', {
          TableName: 'table',
          Key: key('a', 'b'),
          UpdateExpression: 'SET body = :body REMOVE x',
          ExpressionAttributeValues: { ':body': { S: body } },
        }),
      );
    for (const write of [(body: string) => put(item(body)), update]) {
      expect(await write('é'.repeat(most / 2))).toBe('ok');
      expect(await write(`${'é'.repeat(most / 2)}x`)).toContain('has exceeded the maximum allowed size');
    }
  });

  test('refuses a partition key of more than 2,048 bytes, and a sort key of more than 1,024', async () => {
    expect(await put(key('é'.repeat(1_024), 'é'.repeat(512)))).toBe('ok');
    expect(await put(key(`${'é'.repeat(1_024)}x`, 's'))).toContain('Size of hashkey has exceeded');
    expect(await put(key('p', `${'é'.repeat(512)}x`))).toContain('size of all range keys has exceeded');
  });

  test('refuses a batch of more than 100 keys', async () => {
    const get = (count: number) =>
      ending(
        dynamodb('BatchGetItem', {
          RequestItems: { table: { Keys: Array.from({ length: count }, (_, n) => key('a', `k${n}`)) } },
        }),
      );
    expect(await get(100)).toBe('ok');
    expect(await get(101)).toContain('less than or equal to 100');
  });
});

test('the embedded Secrets Manager refuses values of more than 64 KB and names of more than 512 characters', async () => {
  const secrets = clientOf(await startSecretsManager(undefined), 'secretsmanager');
  const create = (name: string, value: string) =>
    ending(secrets('CreateSecret', { Name: name, SecretString: value }));
  expect(await create('n'.repeat(512), 'é'.repeat(32_768))).toBe('ok');
  expect(await create('a', `${'é'.repeat(32_768)}x`)).toContain("Value at 'secretString'");
  expect(await create('n'.repeat(513), 'x')).toContain("Value at 'name'");
  const change = ending(
    secrets('PutSecretValue', { SecretId: 'n'.repeat(512), SecretString: 'x'.repeat(65_537) }),
  );
  expect(await change).toContain("Value at 'secretString'");
});

test('the embedded HTTP API refuses a request line with headers of more than 10,240 bytes', async () => {
  const api = await startHttpApi('api', 0, undefined);
  stops.push(api.stop);
  api.opened = true;
  const statusOf = (bytes: number) =>
    new Promise((resolve, reject) => {
      const sent = request({ port: api.port, headers: { authorization: 'x'.repeat(bytes) } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
  // No route.
  expect(await statusOf(10_000)).toBe(404);
  expect(await statusOf(10_240)).toBe(431);
});

describe('a function of the embedded stack', () => {
  const fine = { timeoutSeconds: 3, memoryMb: 512, variables: {}, isManaged: false };

  test.each<[string, object, string | undefined]>([
    ['fifteen minutes', { timeoutSeconds: 900 }, undefined],
    ['more', { timeoutSeconds: 901 }, 'Timeout must be from 1 to 900 seconds'],
    ['90 minutes on managed compute', { timeoutSeconds: 5_400, memoryMb: 2_048, isManaged: true }, undefined],
    ['10,240 MB', { memoryMb: 10_240 }, undefined],
    ['more memory', { memoryMb: 10_241 }, 'MemorySize must be from 128 to 10240 MB'],
    ['less memory than managed compute gives', { memoryMb: 1_024, isManaged: true }, 'from 2048 to 32768'],
    ['4 KB of variables', { variables: { A: 'x'.repeat(4_096 - 8) } }, undefined],
    ['more variables', { variables: { A: 'x'.repeat(4_096 - 7) } }, 'have 4097 bytes, and Lambda takes 4096'],
  ])('with %s', (_what, over, sentence) => {
    const wrong = functionWrong({ ...fine, ...over });
    if (sentence === undefined) expect(wrong).toBeUndefined();
    else expect(wrong).toContain(sentence);
  });

  test.each<[object, string | undefined]>([
    [{ batchSize: 10 }, undefined],
    [{ batchSize: 11 }, 'BatchSize above 10 needs'],
    [{ batchSize: 10_000, windowSeconds: 300 }, undefined],
    [{ batchSize: 10_001, windowSeconds: 1 }, 'BatchSize must be from 1 to 10000'],
    [{ windowSeconds: 301 }, 'MaximumBatchingWindowInSeconds must be from 0 to 300'],
    [{ concurrency: 2 }, undefined],
    [{ concurrency: 1 }, 'MaximumConcurrency must be from 2 to 1000'],
    [{ concurrency: 1_001 }, 'MaximumConcurrency must be from 2 to 1000'],
  ])('with the mapping %j', (over, sentence) => {
    const wrong = mappingWrong({ batchSize: 1, windowSeconds: 0, concurrency: undefined, ...over });
    if (sentence === undefined) expect(wrong).toBeUndefined();
    else expect(wrong).toContain(sentence);
  });
});
