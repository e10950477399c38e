import {
  ApiGatewayManagementApiClient,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSocketApi } from '../../../local/stack/gateway/socket-api.ts';
import { refusalOfHeaders, type SignedRequest, signedHeaders } from '../../../local/stack/iam/signature.ts';
import { startDynamoDb } from '../../../local/stack/services/dynamodb.ts';
import { startQueues } from '../../../local/stack/services/queues.ts';
import { startSecretsManager } from '../../../local/stack/services/secrets-manager.ts';

const right = { accessKeyId: 'test', secretAccessKey: 'test' };
const wrong = { accessKeyId: 'test', secretAccessKey: 'guess' };

describe('an embedded service', () => {
  const stops: (() => Promise<void>)[] = [];
  const at: Record<string, string> = {};

  beforeAll(async () => {
    const [dynamodb, queues, secrets] = await Promise.all([
      startDynamoDb(undefined),
      startQueues(undefined),
      startSecretsManager(undefined),
    ]);
    queues.createBucket('bucket');
    const sockets = await startSocketApi({
      id: 'a',
      port: 0,
      routeSelection: '$request.body.action',
      wire: undefined,
    });
    stops.push(dynamodb.stop, queues.stop, secrets.stop, sockets.stop);
    Object.assign(at, {
      dynamodb: dynamodb.endpoint,
      queues: queues.endpoint,
      secrets: secrets.endpoint,
      sockets: `http://127.0.0.1:${sockets.port}/live`,
    });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  /** Credentials, and the offset in ms of the clock that signs with them. */
  type Signer = typeof right & { readonly clockOffset?: number };
  const clientOf = (endpoint: string | undefined, { clockOffset = 0, ...credentials }: Signer) => ({
    ...{ endpoint, credentials, region: 'us-east-1', maxAttempts: 1, forcePathStyle: true },
    systemClockOffset: clockOffset,
  });
  const url = () => `${at.queues}/000000000000/none`;
  /** The answer of each service to a call that is signed as it should be, and to one that is not. */
  const services: [string, (signer: Signer) => Promise<unknown>, string, string][] = [
    [
      'DynamoDB',
      (by) => new DynamoDBClient(clientOf(at.dynamodb, by)).send(new ListTablesCommand()),
      'carried out',
      'InvalidSignatureException',
    ],
    [
      'SQS',
      (by) => new SQSClient(clientOf(at.queues, by)).send(new ListQueuesCommand()),
      'carried out',
      'InvalidSignatureException',
    ],
    [
      "SQS at a queue's own URL",
      (by) =>
        new SQSClient(clientOf(at.queues, by)).send(
          new SendMessageCommand({ QueueUrl: url(), MessageBody: 'x' }),
        ),
      'QueueDoesNotExist',
      'InvalidSignatureException',
    ],
    [
      'S3',
      (by) =>
        new S3Client(clientOf(at.queues, by)).send(
          new PutObjectCommand({ Bucket: 'bucket', Key: "odd !'()*/ä ☕+&=?%2E", Body: 'text' }),
        ),
      'carried out',
      'SignatureDoesNotMatch',
    ],
    [
      'Secrets Manager',
      (by) =>
        new SecretsManagerClient(clientOf(at.secrets, by)).send(
          new GetSecretValueCommand({ SecretId: 'none' }),
        ),
      'ResourceNotFoundException',
      'InvalidSignatureException',
    ],
    [
      'the management API of WebSockets',
      (by) =>
        new ApiGatewayManagementApiClient(clientOf(at.sockets, by)).send(
          new PostToConnectionCommand({ ConnectionId: 'nobody=', Data: 'x' }),
        ),
      'GoneException',
      'InvalidSignatureException',
    ],
  ];
  const outcomeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'carried out',
      (error: Error) => error.name,
    );

  test.each(services)(
    '%s carries out what is signed right, and refuses another secret',
    async (_name, call, ok, no) => {
      expect(await outcomeOf(call(right))).toBe(ok);
      expect(await outcomeOf(call(wrong))).toBe(no);
    },
  );

  test.each(services)('%s refuses a signature that is too old', async (name, call) => {
    const asked = await outcomeOf(call({ ...right, clockOffset: -16 * 60_000 }));
    expect(asked).toBe(name === 'S3' ? 'RequestTimeTooSkewed' : 'InvalidSignatureException');
  });
});

describe('a signature', () => {
  const now = Date.UTC(2026, 10, 22, 12, 1, 30);
  const body = new TextEncoder().encode('{}');
  const sent = (over: Partial<SignedRequest> = {}, at = now): SignedRequest => {
    const headers = { host: 'localhost:1', 'x-amz-target': 'DynamoDB_20120810.GetItem' };
    return {
      method: 'POST',
      url: '/',
      headers: signedHeaders('dynamodb', 'key', { url: '/', headers, body }, at),
      body,
      ...over,
    };
  };
  const headersOf = (change: Record<string, string>) => ({ headers: { ...sent().headers, ...change } });

  test.each([
    ['as it was signed', sent(), undefined],
    ['four minutes old', sent({}, now - 4 * 60_000), undefined],
    ['six minutes old', sent({}, now - 6 * 60_000), 'skewed'],
    ['six minutes from now', sent({}, now + 6 * 60_000), 'skewed'],
    ['with another body', sent({ body: new TextEncoder().encode('{"a":1}') }), 'mismatch'],
    ['with another method', sent({ method: 'PUT' }), 'mismatch'],
    ['at another path', sent({ url: '/other' }), 'mismatch'],
    ['with another query', sent({ url: '/?a=1' }), 'mismatch'],
    ['with another target', sent(headersOf({ 'x-amz-target': 'DynamoDB_20120810.PutItem' })), 'mismatch'],
    ['for another host', sent(headersOf({ host: 'localhost:2' })), 'mismatch'],
    ['with a header that is not signed', sent(headersOf({ 'user-agent': 'any' })), undefined],
    ['by nobody', sent({ headers: {} }), 'absent'],
    ['of no known form', sent(headersOf({ authorization: 'Bearer x' })), 'incomplete'],
    ['without a date', sent(headersOf({ 'x-amz-date': '' })), 'incomplete'],
    ['of another day than its scope', sent(headersOf({ 'x-amz-date': '20261122T120131Z' })), 'mismatch'],
  ])('%s', (_what, request, kind) => {
    expect(refusalOfHeaders('dynamodb', request, now)?.kind).toBe(kind);
  });

  test('for another service is refused by its name', () => {
    expect(refusalOfHeaders('sqs', sent(), now)).toEqual({ kind: 'other-service', service: 'sqs' });
  });
});
