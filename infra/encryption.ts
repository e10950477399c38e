/** A customer-managed key (`encryptionKey`): which functions may use it, for what, and through which services. */

import { Aws, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import type { Config } from './config.ts';

/** Uses of a key. DynamoDB needs more than others, because it encrypts its own keys with ours and changes them from time to time. */
const uses = {
  read: ['kms:Decrypt'],
  // Senders and writers of S3 and SQS need to decrypt too: parts of an upload, and data keys that are used again.
  write: ['kms:Decrypt', 'kms:GenerateDataKey'],
  table: [
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
    'kms:GenerateDataKeyWithoutPlaintext',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ],
} as const;

/** The use of the key that follows from a permission; others need none. */
function useOf(action: string): { readonly service: string; readonly use: keyof typeof uses } | undefined {
  const [service = '', name = ''] = action.split(':');
  switch (service) {
    case 'dynamodb':
      return { service, use: 'table' };
    case 's3':
      return name === 'GetObject'
        ? { service, use: 'read' }
        : name === 'PutObject'
          ? { service, use: 'write' }
          : undefined;
    case 'sqs':
      return name === 'SendMessage'
        ? { service, use: 'write' }
        : name === 'ReceiveMessage'
          ? { service, use: 'read' }
          : undefined;
    case 'secretsmanager':
      return name === 'GetSecretValue'
        ? { service, use: 'read' }
        : name === 'DeleteSecret'
          ? undefined
          : { service, use: 'write' };
    default:
      return undefined;
  }
}

/**
 * The permissions for the key that follow from a function's other permissions: as little as those need, and only through their
 * services. One statement for each use.
 */
export function keyStatements(
  scope: IConstruct,
  { encryptionKey }: Config,
  may: readonly PolicyStatement[],
): PolicyStatement[] {
  if (!encryptionKey) return [];
  const { region } = Stack.of(scope);
  const wanted = may.flatMap(({ actions }) => actions.map(useOf)).filter((one) => one !== undefined);
  const writes = new Set(wanted.flatMap(({ service, use }) => (use === 'write' ? [service] : [])));
  return (['table', 'write', 'read'] as const).flatMap((use) => {
    const services = new Set(
      wanted.flatMap((one) =>
        one.use === use && !(use === 'read' && writes.has(one.service)) ? [one.service] : [],
      ),
    );
    if (services.size === 0) return [];
    return new PolicyStatement({
      actions: [...uses[use]],
      resources: [encryptionKey.keyArn],
      conditions: {
        StringEquals: {
          'kms:ViaService': [...services].sort().map((name) => `${name}.${region}.amazonaws.com`),
        },
      },
    });
  });
}

/**
 * Lets CloudWatch Logs encrypt log groups of this account with the key: log groups are encrypted by the service, not by the
 * function that writes. An imported key cannot be changed here, so its owner must add the statement before the deploy.
 */
export function letLogsUse(scope: IConstruct, key: IKey): void {
  const { region } = Stack.of(scope);
  const statement = new PolicyStatement({
    principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
    actions: ['kms:Decrypt*', 'kms:Describe*', 'kms:Encrypt*', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
    resources: ['*'],
    // Not the names of the log groups: they have the key, which cannot wait for them.
    conditions: {
      ArnLike: {
        'kms:EncryptionContext:aws:logs:arn': `arn:${Aws.PARTITION}:logs:${region}:${Aws.ACCOUNT_ID}:log-group:*`,
      },
    },
  });
  const { statementAdded } = key.addToResourcePolicy(statement, true);
  if (!statementAdded)
    Validations.of(scope).addWarning(
      'steploop:encryption-key',
      'encryptionKey is imported, so its policy is not changed. Its owner must let logs.<region>.amazonaws.com use it, or the deploy fails at the first log group (docs/deploy.md#a-key-of-your-own).',
    );
}

/** The key, as a prop of a log group. */
export const encrypted = ({ encryptionKey }: Config) => (encryptionKey ? { encryptionKey } : {});
