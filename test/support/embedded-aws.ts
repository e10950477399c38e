import { randomUUID } from 'node:crypto';
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startDynamoDb } from '../../local/stack/services/dynamodb.ts';
import { startQueues } from '../../local/stack/services/queues.ts';
import type { Clients } from '../../shared/aws/clients.ts';
import { connectionsAt } from '../../shared/aws/clients.ts';
import { direct } from '../../shared/aws/direct.ts';
import { createS3, type S3Options } from '../../shared/aws/s3.ts';
import { Sha256 } from '../../shared/aws/sha256.ts';

/** Embedded DynamoDB, SQS and S3, with clients that reach them. */
export interface EmbeddedAws {
  readonly clients: Clients;
  readonly bucket: string;
  /** The address and credentials of its S3. */
  readonly s3: S3Options;
  /** Makes a table of the layout in `infra/table.ts` and returns its name. */
  createTable(): Promise<string>;
  /** A separate DynamoDB client, to wrap or to break. It makes three attempts, as ours do. */
  newDynamoClient(): DynamoDBClient;
  /** Makes a queue and returns its URL. */
  createQueue(name: string, attributes?: Record<string, string>): Promise<string>;
  /** The same services with another, empty bucket. */
  withBucket(): EmbeddedAws;
  stop(): Promise<void>;
}

const bucket = 'blobs';
const identity = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

/**
 * Starts the DynamoDB, SQS and S3 of the embedded stack in this process.
 *
 * `DYNAMODB_ENDPOINT` selects another DynamoDB engine, to check that our expressions do not depend on this one. All test files
 * share it, and with `isolate: false` they share processes too, so its tables have random names.
 */
export async function startEmbeddedAws(): Promise<EmbeddedAws> {
  const given = process.env.DYNAMODB_ENDPOINT;
  const tables = given ? { endpoint: given, stop: async () => undefined } : await startDynamoDb(undefined);
  const queues = await startQueues(undefined);
  queues.createBucket(bucket, [{ origins: ['*'], methods: ['PUT', 'GET'], headers: ['content-type'] }]);

  // Configured as in the functions.
  const dynamo = direct(
    new DynamoDBClient({ ...identity, endpoint: tables.endpoint, maxAttempts: 1, sha256: Sha256 }),
  );
  const sqs = direct(new SQSClient({ ...identity, endpoint: queues.endpoint, sha256: Sha256 }));
  const s3Options = { identity: dynamo.config, endpoint: queues.endpoint };
  const s3 = createS3(s3Options);
  let made = 0;

  const aws: EmbeddedAws = {
    bucket,
    s3: s3Options,
    async createTable() {
      const name = `test-${randomUUID()}`;
      await createTable(dynamo, name);
      return name;
    },
    clients: {
      dynamo: () => dynamo,
      sqs: () => sqs,
      s3: () => s3,
      sockets: async (url) => new ApiGatewayManagementApiClient({ ...identity, ...connectionsAt(url) }),
      secretsManager: async () => new SecretsManagerClient({ ...identity, endpoint: queues.endpoint }),
    },
    newDynamoClient: () => new DynamoDBClient({ ...identity, endpoint: tables.endpoint, maxAttempts: 3 }),
    async createQueue(QueueName, Attributes) {
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
      return QueueUrl;
    },
    withBucket() {
      const empty = `blobs-${++made}`;
      queues.createBucket(empty, []);
      return { ...aws, bucket: empty };
    },
    async stop() {
      for (const client of [dynamo, sqs]) client.destroy();
      await Promise.all([tables.stop(), queues.stop()]);
    },
  };
  return aws;
}

async function createTable(dynamo: DynamoDBClient, name: string): Promise<void> {
  await dynamo.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'dueShard', AttributeType: 'S' },
        { AttributeName: 'sweepAt', AttributeType: 'N' },
        { AttributeName: 'listedAs', AttributeType: 'S' },
        { AttributeName: 'listedAt', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'due',
          KeySchema: [
            { AttributeName: 'dueShard', KeyType: 'HASH' },
            { AttributeName: 'sweepAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
        {
          IndexName: 'listed',
          KeySchema: [
            { AttributeName: 'listedAs', KeyType: 'HASH' },
            { AttributeName: 'listedAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
  await waitUntilTableExists(
    { client: dynamo, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 },
    { TableName: name },
  );
}
