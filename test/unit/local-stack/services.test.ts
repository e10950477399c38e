import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsJsonClient } from '../../../local/stack/aws-json.ts';
import { startDynamoDb } from '../../../local/stack/services/dynamodb.ts';
import { startQueues } from '../../../local/stack/services/queues.ts';
import { generateSecretText } from '../../../local/stack/services/secret-text.ts';

describe('generated secrets', () => {
  test('have 32 characters with every included kind by default', () => {
    const text = generateSecretText({});
    expect(text).toHaveLength(32);
    for (const kind of [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/]) expect(text).toMatch(kind);
  });

  test('honour length and exclusions', () => {
    expect(
      generateSecretText({
        PasswordLength: 50,
        ExcludePunctuation: true,
        ExcludeUppercase: true,
        ExcludeCharacters: 'abc',
      }),
    ).toMatch(/^[d-z0-9]{50}$/);
  });

  test('are inserted into a template under its key, and change nothing else', () => {
    const made = JSON.parse(
      generateSecretText({ SecretStringTemplate: '{"a":1}', GenerateStringKey: 'k' }),
    ) as object;
    expect(made).toEqual({ a: 1, k: expect.any(String) });
    expect(() => generateSecretText({ GenerateStringKey: 'k' })).toThrow('together');
  });
});

test('an aborted request does not crash the embedded DynamoDB', async () => {
  const dynamodb = await startDynamoDb(undefined);
  const socket = connect(Number(new URL(dynamodb.endpoint).port), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"half');
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const client = awsJsonClient(dynamodb.endpoint, 'DynamoDB_20120810');
  expect(await client.call('ListTables', {})).toEqual({ TableNames: [] });
  client.close();
  await dynamodb.stop();
});

test('queues can be reached from this machine only, at the root and at their own URL', async () => {
  const queues = await startQueues(undefined);
  const root = awsJsonClient(queues.endpoint, 'AmazonSQS');
  await root.call('CreateQueue', { QueueName: 'q' });
  const own = awsJsonClient(`${queues.endpoint}/000000000000/q`, 'AmazonSQS');
  await own.call('SendMessage', { QueueUrl: `${queues.endpoint}/000000000000/q`, MessageBody: 'hello' });
  const outside = Object.values(networkInterfaces())
    .flat()
    .filter((one) => one?.family === 'IPv4' && !one.internal);
  for (const one of outside)
    await expect(fetch(queues.endpoint.replace('127.0.0.1', one?.address ?? ''))).rejects.toThrow();
  root.close();
  own.close();
  await queues.stop();
});

describe('after a restart', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'steploop-queues-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Uses a queue on the folder, and ends as abruptly as the process would. */
  async function running<T>(
    act: (sqs: (name: string, body?: object) => Promise<Record<string, unknown>>) => Promise<T>,
  ) {
    const queues = await startQueues(folder);
    const client = awsJsonClient(queues.endpoint, 'AmazonSQS');
    const QueueUrl = String((await client.call('CreateQueue', { QueueName: 'q' })).QueueUrl);
    try {
      return await act((name, body) => client.call(name, { QueueUrl, ...body }));
    } finally {
      client.close();
      await queues.stop();
    }
  }
  const bodies = ({ Messages = [] }: Record<string, unknown>) =>
    (Messages as { Body: string; Attributes?: object }[]).map(({ Body }) => Body);

  test('received messages are there again, and count as received', async () => {
    await running(async (sqs) => {
      await sqs('SendMessage', { MessageBody: 'hello' });
      expect(bodies(await sqs('ReceiveMessage', { VisibilityTimeout: 900 }))).toEqual(['hello']);
      expect(bodies(await sqs('ReceiveMessage'))).toEqual([]);
    });
    const again = await running((sqs) =>
      sqs('ReceiveMessage', { MessageSystemAttributeNames: ['ApproximateReceiveCount'] }),
    );
    expect(again.Messages).toMatchObject([{ Body: 'hello', Attributes: { ApproximateReceiveCount: '2' } }]);
  });

  test('delayed messages still wait, and deleted ones are gone', async () => {
    await running(async (sqs) => {
      await sqs('SendMessage', { MessageBody: 'later', DelaySeconds: 600 });
      await sqs('SendMessage', { MessageBody: 'done' });
      const { Messages } = await sqs('ReceiveMessage');
      const [{ ReceiptHandle }] = Messages as [{ ReceiptHandle: string }];
      await sqs('DeleteMessage', { ReceiptHandle });
    });
    expect(bodies(await running((sqs) => sqs('ReceiveMessage')))).toEqual([]);
  });

  test('a state that is not a database is reported as such', async () => {
    await writeFile(join(folder, 'fauxqs.db'), 'this is no database, and long enough to be taken for one');
    await expect(startQueues(folder)).rejects.toThrow('not a database');
  });
});
