/** The permissions that a call to an embedded service needs (AWS service authorization reference). */

import { arnOf, globalArn } from '../identity.ts';
import type { Json, JsonObject } from '../template/types.ts';
import { type Call, jsonOf, objectAt, objectOf, operationOf } from './call.ts';
import type { Wanted } from './policy.ts';

/** All of these must be allowed. Empty if the call cannot be read: then its service reports the error. */
export type WantedBy = (call: Call) => readonly Wanted[];

/**
 * A table, or an index if one is queried; batches and transactions need it for each of their tables.
 *
 * @param partitionKeyOf returns the name of a table's partition key
 */
export const wantedOfDynamoDb =
  (partitionKeyOf: (table: string) => string | undefined): WantedBy =>
  ({ target, body }) => {
    const operation = operationOf(target);
    const input = jsonOf(body);
    const want = (action: string, table: Json | undefined, index?: Json): Wanted => ({
      action: `dynamodb:${action}`,
      resource: arnOf(
        'dynamodb',
        `table/${String(table)}${index === undefined ? '' : `/index/${String(index)}`}`,
      ),
    });
    if (operation === 'BatchGetItem' || operation === 'BatchWriteItem')
      return Object.keys(objectOf(input.RequestItems)).map((table) => want(operation, table));
    if (operation === 'TransactGetItems' || operation === 'TransactWriteItems')
      return listOf(input.TransactItems).flatMap((item) =>
        Object.entries(objectOf(item)).map(([kind, one]) =>
          want(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, objectOf(one).TableName),
        ),
      );
    const table = typeof input.TableName === 'string' ? input.TableName.split('/').at(-1) : '*';
    return [
      { ...want(operation, table, input.IndexName), ...leadingKeys(input, partitionKeyOf(String(table))) },
    ];
  };

/** The partition key of one named item. */
function leadingKeys({ Key, Item }: JsonObject, name: string | undefined): Pick<Wanted, 'leadingKeys'> {
  const value = name === undefined ? undefined : objectOf(objectOf(Key ?? Item)[name]);
  const text = value?.S ?? value?.N ?? value?.B;
  return text === undefined ? {} : { leadingKeys: [String(text)] };
}

/** A batch needs the permissions of each of its entries. */
export const wantedOfSqs: WantedBy = ({ target, body }) => {
  const operation = operationOf(target).replace(/Batch$/, '');
  const { QueueUrl, QueueName } = jsonOf(body);
  const name = typeof QueueUrl === 'string' ? QueueUrl.split('/').at(-1) : (QueueName ?? '*');
  return [{ action: `sqs:${operation}`, resource: arnOf('sqs', String(name)) }];
};

/** For a secret that is given by name: ARNs end in six random characters, and policies use a pattern for them. */
export const wantedOfSecrets =
  (arnOfSecret: (id: string) => string | undefined): WantedBy =>
  ({ target, body }) => {
    const { SecretId, Name } = jsonOf(body);
    const id = String(SecretId ?? Name ?? '');
    const arn =
      arnOfSecret(id) ?? (id.startsWith('arn:') ? id : arnOf('secretsmanager', `secret:${id}-??????`));
    return [{ action: `secretsmanager:${operationOf(target)}`, resource: arn }];
  };

/**
 * A direct call of KMS. Those that services make with a key for their callers do not happen here, because nothing is encrypted.
 *
 * @param keyOfBlob returns the ARN of the key that a ciphertext names
 */
export const wantedOfKms =
  (keyOfBlob: (base64: string) => string | undefined): WantedBy =>
  ({ target, body }) => {
    const { KeyId, CiphertextBlob, EncryptionContext } = jsonOf(body);
    const id = typeof KeyId === 'string' ? KeyId : (keyOfBlob(String(CiphertextBlob ?? '')) ?? '*');
    const context = Object.entries(objectOf(EncryptionContext)).map(
      ([name, value]) => [`kms:encryptioncontext:${name.toLowerCase()}`, String(value)] as const,
    );
    return [
      {
        action: `kms:${operationOf(target)}`,
        resource: id.startsWith('arn:') ? id : arnOf('kms', `key/${id}`),
        context: Object.fromEntries(context),
      },
    ];
  };

export const wantedOfS3: WantedBy = (call) => {
  const { method } = call;
  const { bucket, key, query } = objectAt(call);
  const onBucket = globalArn('s3', bucket, '');
  if (key === '') {
    const actions: Record<string, string> = {
      GET: 's3:ListBucket',
      HEAD: 's3:ListBucket',
      PUT: 's3:CreateBucket',
    };
    // The keys of several objects to delete are in the body, so the permission is for all objects of the bucket.
    if (method === 'POST' && query.has('delete'))
      return [{ action: 's3:DeleteObject', resource: `${onBucket}/*` }];
    return [{ action: actions[method] ?? 's3:DeleteBucket', resource: onBucket }];
  }
  const actions: Record<string, string> = {
    GET: 's3:GetObject',
    HEAD: 's3:GetObject',
    DELETE: 's3:DeleteObject',
  };
  const action = query.has('uploadId') && method === 'DELETE' ? 's3:AbortMultipartUpload' : actions[method];
  return [{ action: action ?? 's3:PutObject', resource: `${onBucket}/${key}` }];
};

/** `POST|GET|DELETE /{stage}/@connections/{id}` of one WebSocket API. */
export const wantedOfConnections =
  (apiId: string): WantedBy =>
  ({ method, url }) => [
    {
      action: 'execute-api:ManageConnections',
      resource: arnOf(
        'execute-api',
        `${apiId}/${url.split('/')[1] ?? ''}/${method}/@connections/${url.split('/')[3] ?? ''}`,
      ),
    },
  ];

/** The two services of fauxqs, which serves both on one port. */
export const wantedOfQueuesAndBuckets: WantedBy = (call) =>
  call.target.startsWith('AmazonSQS.') ? wantedOfSqs(call) : wantedOfS3(call);

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
