import { randomUUID } from 'node:crypto';
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startDynamoDb } from '../../local/stack/services/dynamodb.ts';
import type { CorsRule } from '../../local/stack/services/presigned.ts';
import { startQueues } from '../../local/stack/services/queues.ts';
import type { Clients } from '../../shared/aws/clients.ts';
import { connectionsAt } from '../../shared/aws/clients.ts';
import { direct } from '../../shared/aws/direct.ts';
import { createS3, type S3Options } from '../../shared/aws/s3.ts';
import { Sha256 } from '../../shared/aws/sha256.ts';
import { createBucketAt } from './given-buckets.ts';

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
  /** The ARN of a queue, given its URL. */
  queueArn(url: string): Promise<string>;
  /** The same services with another, empty bucket. */
  withBucket(): Promise<EmbeddedAws>;
  stop(): Promise<void>;
}

const identity = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

/**
 * Starts the DynamoDB, SQS and S3 of the embedded stack in this process.
 *
 * `DYNAMODB_ENDPOINT`, `SQS_ENDPOINT` and `S3_ENDPOINT` select other engines, to check that nothing depends on the embedded ones
 * (`test/real`). All test files share these, so tables, queues and buckets have random names there.
 */
export async function startEmbeddedAws(): Promise<EmbeddedAws> {
  const { DYNAMODB_ENDPOINT, SQS_ENDPOINT, S3_ENDPOINT } = process.env;
  const tables = DYNAMODB_ENDPOINT
    ? { endpoint: DYNAMODB_ENDPOINT, stop: async () => undefined }
    : await startDynamoDb(undefined);
  const queues = await startQueues(undefined);
  const sqsEndpoint = SQS_ENDPOINT ?? queues.endpoint;
  const s3Endpoint = S3_ENDPOINT ?? queues.endpoint;

  // Configured as in the functions.
  const dynamo = direct(
    new DynamoDBClient({ ...identity, endpoint: tables.endpoint, maxAttempts: 1, sha256: Sha256 }),
  );
  const sqs = direct(new SQSClient({ ...identity, endpoint: sqsEndpoint, sha256: Sha256 }));
  const s3Options = { identity: dynamo.config, endpoint: s3Endpoint };
  const s3 = createS3(s3Options);
  const own = randomUUID();
  let made = 0;
  const createBucket = async (cors: readonly CorsRule[]): Promise<string> => {
    const name = S3_ENDPOINT ? `blobs-${++made}-${own}` : `blobs-${++made}`;
    if (S3_ENDPOINT) await createBucketAt(S3_ENDPOINT, identity, name, cors);
    else queues.createBucket(name, cors);
    return name;
  };

  const aws: EmbeddedAws = {
    bucket: await createBucket([{ origins: ['*'], methods: ['PUT', 'GET'], headers: ['content-type'] }]),
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
    async createQueue(name, Attributes) {
      const QueueName = SQS_ENDPOINT ? `${name}-${own}` : name;
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
      return QueueUrl;
    },
    async queueArn(QueueUrl) {
      const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
      const { Attributes } = await sqs.send(asked);
      return Attributes?.QueueArn ?? '';
    },
    withBucket: async () => ({ ...aws, bucket: await createBucket([]) }),
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
