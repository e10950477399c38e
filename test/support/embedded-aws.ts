import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import type { Clients } from '../../shared/aws/clients.ts';
import { connectionsAt } from '../../shared/aws/clients.ts';
import { startDynalite } from './dynalite.ts';

/** Embedded DynamoDB, SQS and S3, with clients that reach them. */
export interface EmbeddedAws {
  readonly clients: Clients;
  readonly bucket: string;
  /** Makes a table of the layout in `infra/table.ts` and answers its name. */
  createTable(): Promise<string>;
  /** A DynamoDB client of its own, to wrap or to break; it tries three times, as ours do. */
  newDynamoClient(): DynamoDBClient;
  /** Makes a queue and answers its URL. */
  createQueue(name: string, attributes?: Record<string, string>): string;
  stop(): Promise<void>;
}

const bucket = 'blobs';
const identity = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

/**
 * Starts dynalite and fauxqs in this process.
 *
 * `DYNAMODB_ENDPOINT` takes another DynamoDB engine than dynalite, to check that ours is no dialect of it.
 */
export async function startEmbeddedAws(): Promise<EmbeddedAws> {
  const given = process.env.DYNAMODB_ENDPOINT;
  const dynalite = given ? { endpoint: given, stop: async () => undefined } : await startDynalite();
  const fauxqs = await startFauxqs({ port: 0, logger: false });
  const fauxqsUrl = `http://127.0.0.1:${fauxqs.port}`;
  fauxqs.createBucket(bucket);

  const dynamo = new DynamoDBClient({ ...identity, endpoint: dynalite.endpoint, maxAttempts: 1 });
  const sqs = new SQSClient({ ...identity, endpoint: fauxqsUrl });
  const s3 = new S3Client({ ...identity, endpoint: fauxqsUrl });
  let tables = 0;

  return {
    bucket,
    async createTable() {
      const name = `test-${process.pid}-${++tables}`;
      await createTable(dynamo, name);
      return name;
    },
    clients: {
      dynamo: () => dynamo,
      sqs: () => sqs,
      s3: async () => s3,
      sockets: (url) => new ApiGatewayManagementApiClient({ ...identity, ...connectionsAt(url) }),
      secretsManager: async () => new SecretsManagerClient({ ...identity, endpoint: fauxqsUrl }),
    },
    newDynamoClient: () => new DynamoDBClient({ ...identity, endpoint: dynalite.endpoint, maxAttempts: 3 }),
    createQueue: (queue, attributes) => fauxqs.createQueue(queue, { attributes }).queueUrl,
    async stop() {
      for (const client of [dynamo, sqs, s3]) client.destroy();
      await Promise.all([dynalite.stop(), fauxqs.stop()]);
    },
  };
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
      ],
    }),
  );
  await waitUntilTableExists(
    { client: dynamo, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 },
    { TableName: name },
  );
}
