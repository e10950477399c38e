import { ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createFeedback } from '../../shared/aws/feedback.ts';
import { createListed } from '../../shared/aws/listed.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { createMailStore } from '../../shared/aws/mail.ts';
import { createMemories } from '../../shared/aws/memories.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createSigns } from '../../shared/aws/signs.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createSockets } from '../../shared/aws/sockets.ts';
import { contentOf, RECENT } from '../../shared/contract/queue.ts';
import { refuseWith, startConnectionsEndpoint } from '../support/connections-endpoint.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { openAwsBudgets, openAwsLater, openAwsStores } from './aws-stores.ts';
import { blobsContract } from './blobs.ts';
import { eventLogContract } from './event-log.ts';
import { feedbackContract } from './feedback.ts';
import { inboxStoreContract } from './inbox-store.ts';
import { laterContract } from './later.ts';
import { listingsContract } from './listings.ts';
import { mailStoreContract } from './mail-store.ts';
import { memoriesContract } from './memories.ts';
import { outboundContract } from './outbound.ts';
import { queueContract } from './queue.ts';
import { servicesContract } from './services.ts';
import { sessionStoreContract } from './session-store.ts';
import { signsContract } from './signs.ts';
import { slackStoreContract } from './slack-store.ts';
import { socketsContract } from './sockets.ts';
import { tenantBudgetsContract } from './tenant-budgets.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

const open = () => openAwsStores(aws);
sessionStoreContract('aws', open);
outboundContract('aws', async () =>
  createOutbound(createDynamo(aws.clients.dynamo(), await aws.createTable())),
);
mailStoreContract('aws', async () =>
  createMailStore(createDynamo(aws.clients.dynamo(), await aws.createTable()), { now: () => 1_000_000 }),
);
slackStoreContract('aws', async (clock) =>
  createSlackStore(createDynamo(aws.clients.dynamo(), await aws.createTable()), clock),
);
feedbackContract('aws', async () =>
  createFeedback(createDynamo(aws.clients.dynamo(), await aws.createTable())),
);
inboxStoreContract('aws', open);
eventLogContract('aws', open);
blobsContract('aws', open);
servicesContract('aws', open);
memoriesContract('aws', async () =>
  createMemories(createDynamo(aws.clients.dynamo(), await aws.createTable())),
);
listingsContract('aws', async () => {
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  return { ...createListings(dynamo), ...createListed(dynamo) };
});
signsContract('aws', async () => createSigns(createDynamo(aws.clients.dynamo(), await aws.createTable())));
test('aws: a sign is an item in its own partition, names no tenant, and expires by itself', async () => {
  const table = await aws.createTable();
  const signs = createSigns(createDynamo(aws.clients.dynamo(), table));
  await signs.put(
    { server: 's', model: 'm', group: 3 },
    { until: 1_800_000_000_500, code: 'rate_limit_error' },
  );
  const { Items } = await aws.clients.dynamo().send(new ScanCommand({ TableName: table }));
  expect(Items).toEqual([
    {
      pk: { S: expect.stringMatching(/^_sign#[0-9a-f]+#3$/) },
      sk: { S: 'SIGN' },
      until: { N: '1800000000500' },
      code: { S: 'rate_limit_error' },
      ttl: { N: '1800000300' },
    },
  ]);
});
test('aws: a forgotten fact leaves nothing in the table', async () => {
  const table = await aws.createTable();
  const memories = createMemories(createDynamo(aws.clients.dynamo(), table));
  const ada = { tenant: 'acme', user: 'user:ada' };
  const fact = { id: 'u1', text: 'allergic to peanuts', at: 1, sessionId: 's1', by: ['user:ada'] };
  await memories.save(ada, fact);
  const items = async () => (await aws.clients.dynamo().send(new ScanCommand({ TableName: table }))).Items;
  expect(await items()).toHaveLength(1);
  await memories.forget(ada, 'u1');
  expect(await items()).toEqual([]);
});
laterContract('aws', async () => {
  const stores = await openAwsStores(aws);
  return { ...stores, later: openAwsLater(aws, aws.clients.dynamo(), stores.tableName) };
});
tenantBudgetsContract('aws', (limits) => openAwsBudgets(aws, limits));

let queues = 0;
queueContract('aws', async () => {
  const number = ++queues;
  const dead = await aws.createQueue(`dead${number}`);
  const url = await aws.createQueue(`steps${number}`, {
    VisibilityTimeout: '2',
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: await aws.queueArn(dead),
      maxReceiveCount: 3,
    }),
  });
  const deliveries = await aws.createQueue(`deliveries${number}`);
  const tools = await aws.createQueue(`tools${number}`);
  const sqs = aws.clients.sqs();
  return {
    queue: createQueue(sqs, { steps: [url], tools, deliveries, consumed: url }),
    receiveDelivery: async () => (await receiveOne(sqs, deliveries))?.body,
    receive: async () => {
      const message = await receiveOne(sqs, url);
      return message && { wake: message.body, handle: message.handle };
    },
    async delete({ receiptHandle }) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receiptHandle }));
    },
    dead: async () => (await receiveOne(sqs, dead))?.body,
    calls: async () => {
      const message = await receiveOne(sqs, tools);
      return message && { call: message.body, messageId: message.handle.messageId };
    },
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
});

// The embedded SQS does not tell receivers a message's group.
test('aws: wakes and calls are sent in their tenant’s group, each to its own queue', async () => {
  const [steps, tools] = [await aws.createQueue('grouped-steps'), await aws.createQueue('grouped-tools')];
  const sqs = aws.clients.sqs();
  const sent: unknown[] = [];
  sqs.middlewareStack.add(
    (next) => (args) => {
      sent.push(args.input);
      return next(args);
    },
    { step: 'initialize', name: 'recordSent' },
  );
  const queue = createQueue(sqs, { steps: [steps], tools });
  await queue.send({ tenant: 'acme', sessionId: 's1' });
  await queue.call({ tenant: 'globex', sessionId: 's1', slot: 1, callId: 'c1', waitId: 'w1' });
  sqs.middlewareStack.remove('recordSent');
  expect(sent).toMatchObject([
    { QueueUrl: steps, MessageGroupId: 'acme' },
    { QueueUrl: tools, MessageGroupId: 'globex' },
  ]);
});

test('aws: without a tool queue a call is refused', async () => {
  const queue = createQueue(aws.clients.sqs(), { steps: [await aws.createQueue('alone')] });
  const call = { tenant: 'acme', sessionId: 's1', slot: 1, callId: 'c1', waitId: 'w1' };
  await expect(queue.call(call)).rejects.toThrow('not told of that queue');
});

async function receiveOne(sqs: SQSClient, url: string) {
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    WaitTimeSeconds: 0,
    MessageAttributeNames: ['All'],
  });
  const { Messages: [message] = [] }: ReceiveMessageCommandOutput = await sqs.send(command);
  if (!message) return undefined;
  const { MessageId: messageId = '', ReceiptHandle: receiptHandle = '', Body = '' } = message;
  const body = contentOf(Body, message.MessageAttributes?.[RECENT]?.StringValue) as never;
  return { body, handle: { messageId, receiptHandle } };
}

socketsContract('aws', async () => {
  const endpoint = await startConnectionsEndpoint();
  const answers = {
    there: (response) => response.end(),
    gone: refuseWith(410, 'GoneException'),
    throttled: refuseWith(429, 'LimitExceededException'),
    hanging: () => undefined,
    broken: refuseWith(500, 'InternalServerErrorException'),
  } satisfies Record<string, Parameters<typeof endpoint.answerWith>[1]>;
  return {
    sockets: createSockets(() => aws.clients.sockets(endpoint.url), 100),
    client: (connectionId, is) => endpoint.answerWith(connectionId, answers[is]),
    received: (id) => endpoint.posts.filter((post) => post.connectionId === id).map(({ data }) => data),
    stop: () => endpoint.stop(),
  };
});
