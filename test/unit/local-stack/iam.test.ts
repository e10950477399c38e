import { describe, expect, test } from 'vitest';
import type { Call } from '../../../local/stack/iam/call.ts';
import { statementsOf, verdictOn } from '../../../local/stack/iam/policy.ts';
import {
  wantedOfConnections,
  wantedOfDynamoDb,
  wantedOfQueuesAndBuckets,
  wantedOfSecrets,
} from '../../../local/stack/iam/wanted.ts';
import type { Json } from '../../../local/stack/template/types.ts';

const call = (more: Partial<Omit<Call, 'body'>> & { input?: unknown }): Call => ({
  method: 'POST',
  url: '/',
  target: '',
  ...more,
  body: Buffer.from(JSON.stringify(more.input ?? {})),
});
const told = (wanted: readonly { action: string; resource: string }[]) =>
  wanted.map(({ action, resource }) => `${action} ${resource}`);

describe('the permissions that a call needs', () => {
  const table = 'arn:aws:dynamodb:us-east-1:000000000000:table';

  test.each<[string, unknown, string[]]>([
    ['GetItem', { TableName: 'a' }, [`dynamodb:GetItem ${table}/a`]],
    ['Query', { TableName: 'a', IndexName: 'due' }, [`dynamodb:Query ${table}/a/index/due`]],
    ['PutItem', { TableName: `${table}/a` }, [`dynamodb:PutItem ${table}/a`]],
    ['PutItem', { Item: { TableName: { S: 'b' } }, TableName: 'a' }, [`dynamodb:PutItem ${table}/a`]],
    [
      'BatchGetItem',
      { RequestItems: { a: {}, b: {} } },
      [`dynamodb:BatchGetItem ${table}/a`, `dynamodb:BatchGetItem ${table}/b`],
    ],
    [
      'TransactWriteItems',
      { TransactItems: [{ Put: { TableName: 'a' } }, { ConditionCheck: { TableName: 'b' } }] },
      [`dynamodb:PutItem ${table}/a`, `dynamodb:ConditionCheckItem ${table}/b`],
    ],
  ])('in DynamoDB: %s %j', (operation, input, wanted) => {
    const target = `DynamoDB_20120810.${operation}`;
    expect(told(wantedOfDynamoDb(() => 'pk')(call({ target, input })))).toEqual(wanted);
  });

  test.each<[string, object, string[] | undefined]>([
    ['DeleteItem', { Key: { pk: { S: 'acme#s1' }, sk: { S: 'HEAD' } } }, ['acme#s1']],
    ['PutItem', { Item: { sk: { S: 'HEAD' }, pk: { S: 'acme#s1' } } }, ['acme#s1']],
    ['UpdateItem', { Key: { pk: { N: '7' } } }, ['7']],
    ['Query', { ExpressionAttributeValues: { ':pk': { S: 'acme#s1' } } }, undefined],
    ['DeleteItem', { Key: { other: { S: 'acme#s1' } } }, undefined],
  ])('in DynamoDB: %s %j names the items of a partition', (operation, input, leadingKeys) => {
    const asked = call({ target: `DynamoDB_20120810.${operation}`, input: { TableName: 'a', ...input } });
    expect(wantedOfDynamoDb(() => 'pk')(asked)[0]?.leadingKeys).toEqual(leadingKeys);
    expect(wantedOfDynamoDb(() => undefined)(asked)[0]?.leadingKeys).toBeUndefined();
  });

  test.each<[string, string, string]>([
    ['SendMessage', 'http://127.0.0.1:1/000000000000/q', 'sqs:SendMessage'],
    ['SendMessageBatch', 'http://127.0.0.1:1/000000000000/q', 'sqs:SendMessage'],
    ['ChangeMessageVisibilityBatch', '/000000000000/q', 'sqs:ChangeMessageVisibility'],
  ])('in SQS: %s', (operation, QueueUrl, action) => {
    expect(
      told(wantedOfQueuesAndBuckets(call({ target: `AmazonSQS.${operation}`, input: { QueueUrl } }))),
    ).toEqual([`${action} arn:aws:sqs:us-east-1:000000000000:q`]);
  });

  test.each<[string, string, string]>([
    ['GET', '/b/some/key', 's3:GetObject arn:aws:s3:::b/some/key'],
    ['HEAD', '/b/some%20key', 's3:GetObject arn:aws:s3:::b/some key'],
    ['PUT', '/b/k?partNumber=1&uploadId=u', 's3:PutObject arn:aws:s3:::b/k'],
    ['DELETE', '/b/k', 's3:DeleteObject arn:aws:s3:::b/k'],
    ['DELETE', '/b/k?uploadId=u', 's3:AbortMultipartUpload arn:aws:s3:::b/k'],
    ['GET', '/b?list-type=2', 's3:ListBucket arn:aws:s3:::b'],
    ['POST', '/b?delete', 's3:DeleteObject arn:aws:s3:::b/*'],
  ])('in S3: %s %s', (method, url, wanted) => {
    expect(told(wantedOfQueuesAndBuckets(call({ method, url })))).toEqual([wanted]);
  });

  test('in Secrets Manager it is the secret’s ARN, also if it is named otherwise', () => {
    const wanted = wantedOfSecrets((id) => (id === 'mine' ? 'arn:of:mine-AbCdEf' : undefined));
    const read = (SecretId: string) =>
      told(wanted(call({ target: 'secretsmanager.GetSecretValue', input: { SecretId } })));
    expect(read('mine')).toEqual(['secretsmanager:GetSecretValue arn:of:mine-AbCdEf']);
    expect(read('new')[0]).toMatch(/secret:new-\?{6}$/);
  });

  test('on connections it is the API, the stage and the method', () => {
    const wanted = wantedOfConnections('abc')(call({ method: 'POST', url: '/live/@connections/c%3D' }));
    expect(told(wanted)[0]).toBe(
      'execute-api:ManageConnections arn:aws:execute-api:us-east-1:000000000000:abc/live/POST/@connections/c%3D',
    );
  });
});

describe('a policy', () => {
  const verdict = (statements: Json, action = 's3:GetObject', resource = 'arn:aws:s3:::b/k') =>
    verdictOn({ action, resource }, statementsOf({ Version: '2012-10-17', Statement: statements }));
  const allow = (more: { [key: string]: Json } = {}) => ({
    Effect: 'Allow',
    Action: 's3:Get*',
    Resource: 'arn:aws:s3:::b/*',
    ...more,
  });

  test.each<[string, Json, string]>([
    ['allows resources that match its pattern', allow(), 'allowed'],
    ['compares actions without regard to case', allow({ Action: 'S3:getobject' }), 'allowed'],
    ['compares resources with regard to case', allow({ Resource: 'arn:aws:s3:::B/*' }), 'not_allowed'],
    ['takes a dot for a dot', allow({ Resource: 'arn:aws:s3:::.?k' }), 'not_allowed'],
    ['takes ? for one character', allow({ Resource: 'arn:aws:s3:::b?k' }), 'allowed'],
    ['denies before it allows', [allow(), { ...allow(), Effect: 'Deny' }], 'denied'],
    [
      'applies a known condition',
      allow({ Condition: { Bool: { 'aws:SecureTransport': 'true' } } }),
      'allowed',
    ],
    [
      'does not allow when a condition does not hold',
      allow({ Condition: { StringEquals: { 'aws:RequestedRegion': 'eu-west-1' } } }),
      'not_allowed',
    ],
    ['that is empty allows nothing', [], 'not_allowed'],
  ])('%s', (_, statements, expected) => {
    expect(verdict(statements)).toBe(expected);
  });

  test.each<[string, readonly string[] | undefined, 'Allow' | 'Deny', string]>([
    ['allows items of the partitions that it names', ['acme#memory#tenant'], 'Allow', 'allowed'],
    ['allows no others', ['acme#s1'], 'Allow', 'not_allowed'],
    ['allows only when all are such', ['acme#memory#tenant', 'acme#s1'], 'Allow', 'not_allowed'],
    ['allows nothing that cannot be decided', undefined, 'Allow', 'not_allowed'],
    ['denies what cannot be decided', undefined, 'Deny', 'denied'],
  ])('by the keys of items: %s', (_, leadingKeys, Effect, expected) => {
    const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#memory#*'] } };
    const statements = [allow({ Effect, Condition }), ...(Effect === 'Deny' ? [allow()] : [])];
    const wanted = {
      action: 's3:GetObject',
      resource: 'arn:aws:s3:::b/k',
      ...(leadingKeys && { leadingKeys }),
    };
    expect(verdictOn(wanted, statementsOf({ Version: '2012-10-17', Statement: statements }))).toBe(expected);
  });
});
