import { type AwsJson, awsJsonClient } from './aws-json.ts';
import { takeDataFolder } from './data-folder.ts';
import type { Access } from './iam/access.ts';
import type { Endpoints } from './lambda/variables.ts';
import { startDynamoDb } from './services/dynamodb.ts';
import { startKms } from './services/kms.ts';
import type { CorsRule } from './services/presigned.ts';
import { startQueues } from './services/queues.ts';
import { type LocalSecrets, startSecretsManager } from './services/secrets-manager.ts';
import { startWireProxy, type Wire } from './wire.ts';

/** The emulated services of one stack. */
export interface Services {
  /** Their own addresses. */
  endpoints: Endpoints;
  /** The addresses for functions: the same, or through the wire. */
  facing: Endpoints;
  dynamodb: AwsJson;
  sqs: AwsJson;
  secrets: LocalSecrets;
  createBucket(name: string, cors: readonly CorsRule[]): void;
  stop(): Promise<void>;
}

/** Starts DynamoDB, SQS, S3, Secrets Manager and KMS, with state in `data` if given, and the wire in front of them if given. */
export async function startServices(
  data: string | undefined,
  wire: Wire | undefined,
  access: Access,
): Promise<Services> {
  const folder = takeDataFolder(data);
  const [dynamodb, queues, secrets, kms] = await Promise.all([
    startDynamoDb(folder.dynamodb, access),
    startQueues(folder.queues, access),
    startSecretsManager(folder.secrets, access),
    startKms(folder.kms, access),
  ]).catch((error: unknown) => {
    folder.release();
    const why = error instanceof Error ? error.message : String(error);
    if (data === undefined) throw error;
    throw new Error(`the state in ${data} cannot be read (${why}): start with another data folder`, {
      cause: error,
    });
  });
  const endpoints: Endpoints = {
    dynamodb: dynamodb.endpoint,
    sqs: queues.endpoint,
    s3: queues.endpoint,
    secretsManager: secrets.endpoint,
    kms: kms.endpoint,
  };
  const proxies = wire
    ? await Promise.all([
        startWireProxy(wire, 'dynamodb', endpoints.dynamodb),
        startWireProxy(wire, 'sqs', endpoints.sqs),
        startWireProxy(wire, 's3', endpoints.s3),
        startWireProxy(wire, 'secretsmanager', endpoints.secretsManager),
        startWireProxy(wire, 'kms', endpoints.kms),
      ])
    : [];
  const [first, second, third, fourth, fifth] = proxies;
  const dynamodbClient = awsJsonClient(endpoints.dynamodb, 'DynamoDB_20120810');
  const sqsClient = awsJsonClient(endpoints.sqs, 'AmazonSQS');
  return {
    endpoints,
    facing: {
      dynamodb: first?.endpoint ?? endpoints.dynamodb,
      sqs: second?.endpoint ?? endpoints.sqs,
      s3: third?.endpoint ?? endpoints.s3,
      secretsManager: fourth?.endpoint ?? endpoints.secretsManager,
      kms: fifth?.endpoint ?? endpoints.kms,
    },
    dynamodb: dynamodbClient.call,
    sqs: sqsClient.call,
    secrets,
    createBucket: queues.createBucket,
    async stop() {
      dynamodbClient.close();
      sqsClient.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await Promise.all([dynamodb.stop(), queues.stop(), secrets.stop(), kms.stop()]);
      folder.release();
    },
  };
}
