/**
 * The floor: a process that makes the calls of a durable step with the same SDKs on the same emulators, and nothing else. A step
 * takes its session and reads the history in parallel, asks the same model server with Anthropic's SDK (the whole history,
 * streamed), writes the reply and the tool's result, commits, and sends the next message; messages are received and deleted.
 * Prints its result as JSON when its arguments are done: the model's URL, sessions one by
 * one, sessions at once before the measurement, and measured ones.
 */

import { Anthropic } from '@anthropic-ai/sdk';
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { LOOPBACK } from '../../local/stack/listen.ts';
import { cpuOf } from '../support/proc.ts';
import { child } from './child.ts';
import { atOnce, median, oneByOne, type RunSession, type Speed, STEPS, TOOL } from './workload.ts';

/** The result of the floor. */
export interface FloorSpeed extends Speed {
  /** CPU of its own process without the emulators, with 50 sessions: the SDK's calls. In ms. */
  readonly cpuAStep: number;
  /** The same, including the emulators. */
  readonly cpuOfAllAStep: number;
}

/** A step reads the items since a snapshot, at most this many. */
const SNAPSHOT_EVERY = 25;
const TableName = 'sessions';

await using databases = child('emulator.ts', 'dynamodb');
await using queues = child('emulator.ts', 'sqs');
const options = { region: 'us-east-1', credentials: { accessKeyId: 'floor', secretAccessKey: 'floor' } };
const at = (port: string) => ({ ...options, endpoint: `http://${LOOPBACK}:${port}` });
const dynamo = new DynamoDBClient(at(await databases.said));
const sqs = new SQSClient(at(await queues.said));
await dynamo.send(
  new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  }),
);
const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'floor' }));

const [url, ...amounts] = process.argv.slice(2);
const [few = 12, crowd = 50, many = 150] = amounts.map(Number);
const anthropic = new Anthropic({ apiKey: 'floor', baseURL: url ?? '', maxRetries: 0 });
const leaf: Anthropic.Tool = {
  name: 'leaf',
  description: 'Reads a leaf.',
  input_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

/** Running sessions, and the callback for their end. */
const running = new Map<string, () => void>();

/** One step. Resolves to whether another one follows. */
async function step(id: string, n: number): Promise<boolean> {
  const pk = { S: id };
  const owner = { S: `owner-${n}` };
  const [, { Items = [] }] = await Promise.all([
    dynamo.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk, sk: { S: 'HEAD' } },
        UpdateExpression: 'SET lease = :l, leaseUntil = :u ADD attempts :one',
        ConditionExpression: 'attribute_not_exists(stepNo) OR stepNo = :n',
        ExpressionAttributeValues: {
          ':l': owner,
          ':u': { N: String(Date.now() + 60_000) },
          ':one': { N: '1' },
          ':n': { N: String(n) },
        },
        ReturnValues: 'ALL_NEW',
      }),
    ),
    dynamo.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
        ExpressionAttributeValues: {
          ':p': pk,
          ':a': { S: slot(n - (n % SNAPSHOT_EVERY)) },
          ':b': { S: slot(99_999_999) },
        },
        ConsistentRead: true,
      }),
    ),
  ]);
  const history = Items.flatMap(
    ({ messages }) => JSON.parse(messages?.S ?? '[]') as Anthropic.MessageParam[],
  );
  const { content } = await anthropic.messages
    .stream({
      model: 'claude-bench-1',
      max_tokens: 1_000,
      tools: [leaf],
      messages: [{ role: 'user', content: `Go. RUN<${id}>` }, ...history],
    })
    .finalMessage();
  const results = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: TOOL }] : [],
  );
  const more = results.length > 0;
  const said = [{ role: 'assistant', content }, ...(more ? [{ role: 'user', content: results }] : [])];
  await dynamo.send(
    new PutItemCommand({
      TableName,
      Item: { pk, sk: { S: slot(n) }, messages: { S: JSON.stringify(said) } },
      ConditionExpression: 'attribute_not_exists(sk)',
    }),
  );
  await dynamo.send(
    new UpdateItemCommand({
      TableName,
      Key: { pk, sk: { S: 'HEAD' } },
      UpdateExpression: 'SET stepNo = :next, #state = :state REMOVE lease',
      ConditionExpression: 'lease = :l',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':next': { N: String(n + 1) },
        ':state': { S: more ? 'running' : 'completed' },
        ':l': owner,
      },
      ReturnValues: 'NONE',
    }),
  );
  return more;
}

const slot = (n: number) => `M#${String(n).padStart(8, '0')}`;

const send = (id: string, n: number) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ id, n }) }));

/** Replaces the event source mapping and Lambda. */
async function poll(): Promise<never> {
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
    );
    for (const message of Messages) void handle(message.Body ?? '', message.ReceiptHandle);
  }
}

async function handle(body: string, ReceiptHandle: string | undefined): Promise<void> {
  const { id, n } = JSON.parse(body);
  if (await step(id, n)) await send(id, n + 1);
  else running.get(id)?.();
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

const run: RunSession = async (id) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  running.set(id, resolve);
  await send(id, 0);
  await promise;
  running.delete(id);
};

void poll();
await oneByOne(run, 3);
const msAStep = median(await oneByOne(run, few));
await atOnce(run, crowd);
const cpu = () => [process.pid, databases.pid, queues.pid].map(cpuOf);
const before = cpu();
const stepsASecond = await atOnce(run, many);
const [own = 0, ...emulators] = cpu().map((ms, i) => (ms - (before[i] ?? 0)) / many / STEPS);
const cpuOfAllAStep = emulators.reduce((sum, ms) => sum + ms, own);
const came: FloorSpeed = { msAStep, stepsASecond, cpuAStep: own, cpuOfAllAStep };
console.log(JSON.stringify(came));
process.exit();
