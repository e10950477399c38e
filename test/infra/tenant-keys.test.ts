import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { beforeAll, expect, test } from 'vitest';
import { Steploop } from '../../infra/steploop.ts';
import { statementsOf, verdictOn } from '../../local/stack/iam/policy.ts';
import { wantedOfKms } from '../../local/stack/iam/wanted.ts';
import { ask, functionsByName, quickApp, type Synthesized, synthesized } from './synthesized.fixture.ts';

const where = { env: { account: '111111111111', region: 'eu-central-1' } };
const definition = 'test/support/agents/index.ts';
const users = functionsByName.filter((name) => name !== 'console');

let stack: Synthesized;
let keyArn: object;
let tableId: string;
beforeAll(() => {
  const app = quickApp();
  const scope = new Stack(app, 'Test', where);
  const encryptionKey = new Key(scope, 'Key');
  stack = ask(app, scope, new Steploop(scope, 'Agents', { definition, encryptionKey, tenantKeys: true }));
  const [[id] = []] = stack.resources('AWS::KMS::Key');
  keyArn = { 'Fn::GetAtt': [id, 'Arn'] };
  tableId = stack.idOf('AWS::DynamoDB::Table', 'TenantKeys');
});

test('the table of keys is kept as the other, encrypted with the key, and cannot be restored to an earlier moment', () => {
  const table = stack.template.findResources('AWS::DynamoDB::Table')[tableId];
  expect(table).toMatchObject({
    DeletionPolicy: 'Retain',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      SSESpecification: { SSEEnabled: true, KMSMasterKeyId: keyArn },
    },
  });
});

test('every function that reads or writes what people say knows the table and the key', () => {
  for (const name of users)
    expect(stack.fn(name).properties.Environment.Variables, name).toMatchObject({
      KEY_TABLE_NAME: { Ref: tableId },
      TENANT_KEY_ARN: keyArn,
    });
  expect(stack.fn('console').properties.Environment.Variables).not.toHaveProperty('KEY_TABLE_NAME');
});

test('each may read and make keys; only the HTTP API changes one, and only the sweeper looks for deleted ones', () => {
  const arn = { 'Fn::GetAtt': [tableId, 'Arn'] };
  const may = (name: (typeof functionsByName)[number]) =>
    stack
      .statements(name)
      .filter(({ resources }) => JSON.stringify(resources).includes(tableId))
      .flatMap(({ actions, resources }) => {
        expect(resources, name).toEqual([arn]);
        return actions;
      })
      .sort();
  for (const name of users) {
    const more = name === 'http' ? ['UpdateItem'] : name === 'sweep' ? ['DeleteItem', 'Query'] : [];
    expect(may(name), name).toEqual(['GetItem', 'PutItem', ...more].map((one) => `dynamodb:${one}`).sort());
  }
  expect(may('console')).toEqual([]);
});

test('each may use the KMS key directly for keys of tenants, and for nothing else', () => {
  for (const name of users) {
    const direct = stack
      .statements(name)
      .filter(({ conditions }) => JSON.stringify(conditions ?? '').includes('tenant'));
    expect(direct, name).toEqual([
      {
        effect: 'Allow',
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: [keyArn],
        conditions: { StringLike: { 'kms:EncryptionContext:steploop:tenant': '*' } },
      },
    ]);
    const arn = 'arn:aws:kms:eu-central-1:111111111111:key/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
    const statements = statementsOf({
      Statement: direct.map(({ effect, actions, conditions }) => ({
        ...{ Effect: effect, Action: actions, Resource: [arn] },
        Condition: conditions as never,
      })),
    });
    const verdict = (target: string, EncryptionContext?: Record<string, string>) => {
      const body = Buffer.from(JSON.stringify({ KeyId: arn, EncryptionContext }));
      const [wanted] = wantedOfKms(() => undefined)({ method: 'POST', url: '/', target, body });
      return wanted && verdictOn(wanted, statements);
    };
    expect(verdict('TrentService.Decrypt', { 'steploop:tenant': 'acme' }), name).toBe('allowed');
    expect(verdict('TrentService.Decrypt'), name).toBe('not_allowed');
    expect(verdict('TrentService.GenerateDataKey', { other: 'acme' }), name).toBe('not_allowed');
    expect(verdict('TrentService.Encrypt', { 'steploop:tenant': 'acme' }), name).toBe('not_allowed');
  }
});

test('without the option there is no table of keys, and no function knows one', () => {
  const off = synthesized();
  expect(off.resources('AWS::DynamoDB::Table')).toHaveLength(1);
  expect(JSON.stringify(off.template.toJSON())).not.toMatch(/KEY_TABLE_NAME|TENANT_KEY_ARN|kms:/);
});

test('without a KMS key there is nothing that could wrap them, which the synthesis says', () => {
  expect(() => synthesized({ tenantKeys: true })).toThrow(
    'tenantKeys: a KMS key must wrap them, so give one: encryptionKey',
  );
});
