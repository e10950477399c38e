import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { beforeAll, describe, expect, test } from 'vitest';
import { Steploop } from '../../infra/steploop.ts';
import { ask, functionsByName, quickApp, type Synthesized, synthesized } from './synthesized.fixture.ts';

const where = { env: { account: '111111111111', region: 'eu-central-1' } };
const definition = 'test/support/agents/index.ts';

/** A deployment whose key is in its own stack. */
function encrypted() {
  const app = quickApp();
  const stack = new Stack(app, 'Test', where);
  const encryptionKey = new Key(stack, 'Key');
  return ask(app, stack, new Steploop(stack, 'Agents', { definition, encryptionKey, lanes: 2 }));
}

describe('with a key of the user’s', () => {
  let stack: Synthesized;
  let arn: object;
  beforeAll(() => {
    stack = encrypted();
    const [[id] = []] = stack.resources('AWS::KMS::Key');
    arn = { 'Fn::GetAtt': [id, 'Arn'] };
  });

  test('the table, the bucket, all queues, secrets and log groups are encrypted with it', () => {
    const keys: Readonly<Record<string, (properties: never) => unknown>> = {
      'AWS::DynamoDB::Table': ({ SSESpecification: sse }: { SSESpecification: Record<string, unknown> }) =>
        sse.SSEEnabled && sse.KMSMasterKeyId,
      'AWS::S3::Bucket': ({ BucketEncryption }: { BucketEncryption: never }) => {
        const [rule] = BucketEncryption['ServerSideEncryptionConfiguration'] as {
          BucketKeyEnabled: boolean;
          ServerSideEncryptionByDefault: { SSEAlgorithm: string; KMSMasterKeyID: unknown };
        }[];
        const { SSEAlgorithm, KMSMasterKeyID } = rule?.ServerSideEncryptionByDefault ?? {};
        return rule?.BucketKeyEnabled && SSEAlgorithm === 'aws:kms' && KMSMasterKeyID;
      },
      'AWS::SQS::Queue': ({ KmsMasterKeyId }: { KmsMasterKeyId: unknown }) => KmsMasterKeyId,
      'AWS::SecretsManager::Secret': ({ KmsKeyId }: { KmsKeyId: unknown }) => KmsKeyId,
      'AWS::Logs::LogGroup': ({ KmsKeyId }: { KmsKeyId: unknown }) => KmsKeyId,
    };
    for (const [type, keyOf] of Object.entries(keys)) {
      const found = stack.resources(type);
      expect(found.length, type).toBeGreaterThan(0);
      for (const [id, { Properties }] of found) expect(keyOf(Properties as never), id).toEqual(arn);
    }
    // 5 queues with their dead letters, and the second lane.
    expect(stack.resources('AWS::SQS::Queue').length).toBeGreaterThanOrEqual(9);
  });

  test('each function may use it for what it does, through the services that it uses, and for nothing else', () => {
    for (const name of functionsByName) {
      const statements = stack.statements(name);
      const about = statements.filter(({ actions }) => actions.some((action) => action.startsWith('kms:')));
      const through = new Map<string, Set<string>>();
      for (const { actions, resources, conditions } of about) {
        expect(resources, name).toEqual([arn]);
        const service = (conditions as { StringEquals?: Record<string, string | string[]> } | undefined)
          ?.StringEquals?.['kms:ViaService'];
        // The grant of an event source, which Lambda uses to read the queue.
        if (service === undefined) expect(actions, name).toEqual(['kms:Decrypt']);
        for (const one of [service ?? []].flat())
          through.set(one, new Set([...(through.get(one) ?? []), ...actions]));
      }
      const does = (...wanted: string[]) =>
        statements.some(({ actions }) => actions.some((action) => wanted.includes(action)));
      const may = (service: string, action: string) =>
        through.get(`${service}.eu-central-1.amazonaws.com`)?.has(action) ?? false;
      const usesTable = statements.some(({ actions }) => actions.some((one) => one.startsWith('dynamodb:')));
      expect(may('dynamodb', 'kms:GenerateDataKey'), name).toBe(usesTable);
      expect(may('s3', 'kms:Decrypt'), name).toBe(does('s3:GetObject', 's3:PutObject'));
      expect(may('s3', 'kms:GenerateDataKey'), name).toBe(does('s3:PutObject'));
      expect(may('sqs', 'kms:GenerateDataKey'), name).toBe(does('sqs:SendMessage'));
      const reads = ['secretsmanager:GetSecretValue'];
      const writes = ['secretsmanager:PutSecretValue', 'secretsmanager:CreateSecret'];
      expect(may('secretsmanager', 'kms:Decrypt'), name).toBe(does(...reads, ...writes));
      expect(may('secretsmanager', 'kms:GenerateDataKey'), name).toBe(does(...writes));
    }
    expect(
      stack.statements('console').some(({ actions }) => actions.some((one) => one.startsWith('kms:'))),
    ).toBe(false);
  });

  test('CloudWatch Logs may use it for log groups of this account only', () => {
    const [[, { Properties }] = [undefined, { Properties: {} }]] = stack.resources('AWS::KMS::Key');
    const statement = Properties.KeyPolicy.Statement.find(
      ({ Principal }: { Principal: { Service?: unknown } }) => Principal.Service !== undefined,
    );
    expect(statement.Principal.Service).toBe('logs.eu-central-1.amazonaws.com');
    expect(JSON.stringify(statement.Condition)).toContain(
      'kms:EncryptionContext:aws:logs:arn":{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":logs:eu-central-1:",{"Ref":"AWS::AccountId"},":log-group:*"',
    );
  });

  test('secrets of Slack workspaces, which are made later, get it too', () => {
    for (const name of ['slack', 'slack-jobs', 'deliver'] as const)
      expect(stack.fn(name).properties.Environment.Variables.SLACK_TOKEN_KEY, name).toEqual(arn);
  });
});

test('without one, AWS manages the keys, and no function has a permission for a key', () => {
  const stack = synthesized();
  for (const [, { Properties }] of stack.resources('AWS::SQS::Queue'))
    expect(Properties).toMatchObject({ SqsManagedSseEnabled: true });
  const told = JSON.stringify(stack.template.toJSON());
  expect(told).not.toContain('kms:');
  expect(told).not.toContain('SLACK_TOKEN_KEY');
});

test('an imported key cannot get the statement for the logs, which the synthesis says', () => {
  const app = quickApp();
  const stack = new Stack(app, 'Test', where);
  const encryptionKey = Key.fromKeyArn(
    stack,
    'Key',
    'arn:aws:kms:eu-central-1:111111111111:key/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f',
  );
  const { agents } = ask(app, stack, new Steploop(stack, 'Agents', { definition, encryptionKey }));
  const warnings = agents.node.metadata.filter(({ type }) => type.endsWith('warning'));
  expect(JSON.stringify(warnings)).toContain('must let logs.<region>.amazonaws.com use it');
});
