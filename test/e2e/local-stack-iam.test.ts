import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningStack, startStack } from '../../local/stack/stack.ts';
import { api, arn, lambda, mapping, queue, table, writeAssembly } from './local-stack.fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'local-stack-iam-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const role = () => ({ Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } });
const policy = (to: string, ...statements: object[]) => ({
  Type: 'AWS::IAM::Policy',
  Properties: { PolicyName: `${to}Policy`, Roles: [{ Ref: to }], PolicyDocument: { Statement: statements } },
});
const allow = (Action: string | string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
const inRole = (name: string, to: string, variables: object) => ({
  ...lambda(name, { Role: arn(to) }, variables),
  DependsOn: [`${to}Policy`],
});

const code = `
  const calls = {
    DynamoDB: (client, { GetItemCommand, PutItemCommand }) => ({
      get: () => client.send(new GetItemCommand({ TableName: process.env.TABLE, Key: { pk: { S: 'a' } } })),
      put: () => client.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { pk: { S: 'a' }, text: { S: 'x'.repeat(200_000) } } })),
    }),
    SQS: (client, { SendMessageCommand, SendMessageBatchCommand }) => ({
      send: () => client.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE, MessageBody: 'hi' })),
      batch: () => client.send(new SendMessageBatchCommand({ QueueUrl: process.env.QUEUE, Entries: [{ Id: '1', MessageBody: 'hi' }] })),
    }),
    SecretsManager: (client, { GetSecretValueCommand }) => ({
      read: () => client.send(new GetSecretValueCommand({ SecretId: process.env.SECRET })),
    }),
  };
  const packages = { DynamoDB: 'client-dynamodb', SQS: 'client-sqs', SecretsManager: 'client-secrets-manager' };
  export const ask = async ({ service, call }) => {
    const library = sdk('@aws-sdk/' + packages[service]);
    const client = new library[service + 'Client']({ maxAttempts: 1 });
    try {
      await calls[service](client, library)[call]();
      return 'ok';
    } catch (error) {
      return error.name + ': ' + error.message;
    }
  };
  export const bucket = async ({ method, key }) => {
    const response = await signed('s3', process.env.AWS_ENDPOINT_URL_S3 + '/' + process.env.BUCKET + '/' + key, {
      method,
      ...(method === 'PUT' && { body: 'text' }),
    });
    return response.status + ' ' + (await response.text()).replace(/.*<Code>/s, '').replace(/<.*/s, '');
  };
  export const post = async () => {
    const { ApiGatewayManagementApiClient, PostToConnectionCommand } = sdk('@aws-sdk/client-apigatewaymanagementapi');
    const client = new ApiGatewayManagementApiClient({ endpoint: process.env.SOCKETS, maxAttempts: 1 });
    try {
      await client.send(new PostToConnectionCommand({ ConnectionId: 'nobody', Data: 'hi' }));
    } catch (error) {
      return error.name;
    }
  };
  export const take = async () => ({});
`;

describe('a function', () => {
  let stack: RunningStack;
  const log: string[] = [];

  beforeAll(async () => {
    const domain = [
      'https://',
      { Ref: 'Sockets' },
      '.execute-api.',
      { Ref: 'AWS::Region' },
      '.amazonaws.com/live',
    ];
    const names = {
      TABLE: { Ref: 'Table' },
      QUEUE: { Ref: 'Queue' },
      SECRET: { Ref: 'Secret' },
      BUCKET: { Ref: 'Bucket' },
      SOCKETS: { 'Fn::Join': ['', domain] },
    };
    const functionsOf = (to: string) => ({
      [`${to}Role`]: role(),
      [`${to}Ask`]: inRole('ask', `${to}Role`, names),
      [`${to}Post`]: inRole('post', `${to}Role`, names),
      [`${to}Bucket`]: inRole('bucket', `${to}Role`, names),
    });
    const resources = {
      Table: table(),
      Queue: queue(30),
      Bucket: { Type: 'AWS::S3::Bucket', Properties: {} },
      Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: 'shh' } },
      ...api('Sockets', 'WEBSOCKET', { $default: 'GrantedAsk' }),
      ...functionsOf('Granted'),
      GrantedRolePolicy: policy(
        'GrantedRole',
        allow(['dynamodb:GetItem', 'dynamodb:PutItem'], arn('Table')),
        allow('sqs:SendMessage', arn('Queue')),
        allow('secretsmanager:Get*', { Ref: 'Secret' }),
        allow('s3:*Object', { 'Fn::Join': ['', [arn('Bucket'), '/mine/*']] }),
        allow('execute-api:ManageConnections', '*'),
      ),
      ...functionsOf('Denied'),
      DeniedRolePolicy: policy('DeniedRole', allow('*', '*'), {
        Effect: 'Deny',
        Action: ['dynamodb:Put*', 'sqs:*'],
        Resource: '*',
      }),
      ...functionsOf('Ungranted'),
      UngrantedRolePolicy: policy('UngrantedRole', allow('logs:PutLogEvents', '*')),
    };
    const assembly = writeAssembly(join(root, 'functions'), resources, code);
    stack = await startStack({ assembly, log: (line) => log.push(line) });
  });
  afterAll(() => stack.stop());

  test.each([
    ['DynamoDB', 'get'],
    ['DynamoDB', 'put'],
    ['SQS', 'send'],
    ['SQS', 'batch'],
    ['SecretsManager', 'read'],
  ])('may do in %s what its role allows: %s', async (service, call) => {
    expect(await stack.invoke('GrantedAsk', { service, call })).toBe('ok');
  });

  test.each([
    ['DynamoDB', 'get', 'dynamodb:GetItem'],
    ['DynamoDB', 'put', 'dynamodb:PutItem'],
    ['SQS', 'send', 'sqs:SendMessage'],
    ['SQS', 'batch', 'sqs:SendMessage'],
    ['SecretsManager', 'read', 'secretsmanager:GetSecretValue'],
  ])('is denied in %s what was not granted, in the words of AWS: %s', async (service, call, action) => {
    expect(await stack.invoke('UngrantedAsk', { service, call })).toMatch(
      new RegExp(
        `^AccessDenied\\w*: User: arn:aws:sts::\\d+:assumed-role/\\S+ is not authorized to perform: ${action} on resource: \\S+ because no identity-based policy allows`,
      ),
    );
  });

  test('has its denials in the log, once, with what to do', () => {
    const told = log.filter((line) => line.includes('was denied dynamodb:GetItem'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/Grant it in the CDK app/);
  });

  test('is denied what a policy denies, whatever else allows it', async () => {
    expect(await stack.invoke('DeniedAsk', { service: 'DynamoDB', call: 'get' })).toBe('ok');
    expect(await stack.invoke('DeniedAsk', { service: 'DynamoDB', call: 'put' })).toMatch(/explicit deny/);
    expect(await stack.invoke('DeniedAsk', { service: 'SQS', call: 'send' })).toMatch(/explicit deny/);
  });

  test('reads and writes the objects that it was granted, and no others', async () => {
    const bucket = (method: string, key: string) => stack.invoke('GrantedBucket', { method, key });
    expect(await bucket('PUT', 'mine/a')).toMatch(/^200/);
    expect(await bucket('GET', 'mine/a')).toBe('200 text');
    expect(await bucket('PUT', 'yours/a')).toBe('403 AccessDenied');
    expect(await bucket('GET', '')).toBe('403 AccessDenied');
  });

  test('posts to connections if it is allowed to', async () => {
    expect(await stack.invoke('GrantedPost', {})).toBe('GoneException');
    expect(await stack.invoke('UngrantedPost', {})).toBe('AccessDeniedException');
  });
});

describe('a template', () => {
  const start = (name: string, resources: object) =>
    startStack({ assembly: writeAssembly(join(root, name), resources, code) });

  test('whose function may not take from its queue is refused, as by Lambda', async () => {
    const resources = {
      Queue: queue(30),
      TakerRole: role(),
      TakerRolePolicy: policy('TakerRole', allow('sqs:DeleteMessage', arn('Queue'))),
      Taker: inRole('take', 'TakerRole', {}),
      Mapping: mapping('Queue', 'Taker', 1, 2),
    };
    await expect(start('mapping', resources)).rejects.toThrow(
      /does not allow sqs:ReceiveMessage on arn:\S+Queue/,
    );
  });

  test.each([
    ['NotAction', { Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
    ['NotResource', { Effect: 'Allow', Action: 's3:*', NotResource: 'x' }],
    [
      'condition key dynamodb:LeadingKeys',
      {
        ...allow('dynamodb:*', '*'),
        Condition: { StringLike: { 'dynamodb:LeadingKeys': ['a'] } },
      },
    ],
    [
      'condition operator IpAddress',
      { ...allow('*', '*'), Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } },
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM's
    ['policy variable', allow('s3:*', 'arn:aws:s3:::${aws:PrincipalTag/team}/*')],
  ])('with a policy that cannot be evaluated is refused by name: %s', async (name, statement) => {
    const resources = { SomeRole: role(), SomeRolePolicy: policy('SomeRole', statement) };
    await expect(start('unknown', resources)).rejects.toThrow(
      new RegExp(`SomeRolePolicy.*${name.replaceAll('.', '\\.')}.*cannot be evaluated here`, 's'),
    );
  });

  test('with an AWS managed policy whose statements are unknown is refused by name', async () => {
    const resources = {
      SomeRole: {
        Type: 'AWS::IAM::Role',
        Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AmazonS3FullAccess'] },
      },
    };
    await expect(start('managed', resources)).rejects.toThrow(/AmazonS3FullAccess is not known here/);
  });
});
