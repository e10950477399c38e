import { beforeAll, describe, expect, it } from 'vitest';
import type { FunctionName } from '../../infra/bundle.ts';
import { functionsByName, type Synthesized, synthesized } from './synthesized.fixture.ts';

let stack: Synthesized;
beforeAll(() => {
  stack = synthesized();
});

describe('permissions of functions', () => {
  it('names every action', () => {
    for (const name of functionsByName) {
      for (const { effect, actions } of stack.statements(name)) {
        expect(effect).toBe('Allow');
        for (const action of actions) expect(action).toMatch(/^[a-z0-9-]+:[A-Za-z]+$/);
      }
    }
  });

  it('names every resource, except for objects of the bucket, connections of the socket, Slack tokens, senders of mails and regions of Bedrock', () => {
    for (const name of functionsByName) {
      for (const { actions, resources } of stack.statements(name)) {
        const wild = resources.filter((resource) => JSON.stringify(resource).includes('*'));
        if (wild.length === 0) continue;
        // A profile across regions asks the models of each.
        if (actions.some((action) => action.startsWith('bedrock:'))) {
          expect([name, actions]).toEqual(['step', ['bedrock:InvokeModelWithResponseStream']]);
          for (const resource of resources)
            expect(JSON.stringify(resource).replace(':*:', '')).not.toContain('*');
          continue;
        }
        expect(
          actions.every((action) =>
            /^s3:(GetObject|PutObject|DeleteObject|ListBucket)$|^execute-api:ManageConnections$|^ses:SendEmail$|^secretsmanager:/.test(
              action,
            ),
          ),
        ).toBe(true);
        if (actions.some((action) => action.startsWith('secretsmanager:')))
          expect(wild.map((resource) => JSON.stringify(resource).split(':').at(-1))).toEqual([
            'steploop/Test-Agents/slack/*"]]}',
          ]);
        expect(resources).not.toContain('*');
      }
    }
  });

  it('gives no role a managed policy', () => {
    for (const [, role] of stack.resources('AWS::IAM::Role')) {
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(role.Properties.AssumeRolePolicyDocument.Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });

  it.each<[FunctionName, string]>([
    ['step', 'BatchGetItem DeleteItem GetItem PutItem Query UpdateItem'],
    ['tool', 'GetItem PutItem Query UpdateItem'],
    ['dead-letter', 'BatchGetItem DeleteItem GetItem PutItem Query UpdateItem'],
    ['sweep', 'BatchGetItem DeleteItem GetItem PutItem Query UpdateItem'],
    ['deliver', 'GetItem PutItem Query UpdateItem'],
    ['http', 'BatchGetItem GetItem PutItem Query UpdateItem'],
    ['hooks', 'PutItem UpdateItem'],
    ['slack', 'BatchGetItem DeleteItem GetItem PutItem Query UpdateItem'],
    ['slack-jobs', 'BatchGetItem DeleteItem GetItem PutItem Query UpdateItem'],
    ['socket', 'BatchGetItem DeleteItem GetItem PutItem Query UpdateItem'],
    ['agui', 'BatchGetItem GetItem PutItem Query UpdateItem'],
  ])('lets %s do this on the table: %s', (name, operations) => {
    const table = { 'Fn::GetAtt': [stack.idOf('AWS::DynamoDB::Table', 'Table'), 'Arn'] };
    const onTable = stack
      .statements(name)
      .find(({ resources }) => JSON.stringify(resources) === JSON.stringify([table]));
    expect(onTable?.actions).toEqual(operations.split(' ').map((operation) => `dynamodb:${operation}`));
  });

  it.each(['http', 'tool'] as const)(
    'lets %s delete agents’ memories and schedules, and no other item',
    (name) => {
      const deleting = stack
        .statements(name)
        .filter(({ actions }) => actions.some((action) => action === 'dynamodb:DeleteItem'));
      expect(deleting.map(({ actions, conditions }) => ({ actions, conditions }))).toEqual([
        {
          actions: ['dynamodb:DeleteItem'],
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#memory#*', '*#schedules#*'] },
          },
        },
      ]);
    },
  );

  it('lets only the sweeper query the index', () => {
    const index = (name: FunctionName) =>
      JSON.stringify(stack.mayDo(name, 'dynamodb:Query')).includes('/index/due');
    expect(functionsByName.filter(index)).toEqual(['sweep']);
  });

  it('lets functions push to clients of the live stage, and do nothing else with connections', () => {
    const pushers = functionsByName.filter(
      (name) => stack.mayDo(name, 'execute-api:ManageConnections').length > 0,
    );
    expect(pushers).toEqual(['step', 'tool', 'dead-letter', 'http', 'socket']);
    const api = stack.idOf('AWS::ApiGatewayV2::Api', 'SocketApi');
    for (const name of pushers) {
      const [
        {
          'Fn::Join': [, parts],
        },
      ] = stack.mayDo(name, 'execute-api:ManageConnections') as [{ 'Fn::Join': [string, unknown[]] }];
      expect(parts.slice(-2)).toEqual([{ Ref: api }, '/live/POST/@connections/*']);
    }
  });

  it('lets only the stack’s own API call functions', () => {
    for (const [, permission] of stack.resources('AWS::Lambda::Permission')) {
      const { SourceArn, FunctionName } = permission.Properties;
      if (SourceArn !== undefined) continue;
      // A function URL without IAM is open to everyone, so its function requires the token.
      expect(FunctionName).toEqual({ 'Fn::GetAtt': [stack.fn('agui').id, 'Arn'] });
      const { FunctionUrlAuthType, InvokedViaFunctionUrl } = permission.Properties;
      expect(FunctionUrlAuthType === 'NONE' || InvokedViaFunctionUrl === true).toBe(true);
    }
  });
});

/** The secrets in a variable `SECRETS`, by name: JSON with a reference in place of each ARN. */
function declaredIn(variable: unknown): Map<string, string> {
  if (variable === undefined || variable === '{}') return new Map();
  const parts = (variable as { 'Fn::Join': [string, (string | { Ref: string })[]] })['Fn::Join'][1];
  const json = parts.map((part) => (typeof part === 'string' ? part : part.Ref)).join('');
  return new Map(Object.entries(JSON.parse(json)));
}

describe('secrets', () => {
  it('are created by Secrets Manager, never written into the template', () => {
    const secrets = stack.resources('AWS::SecretsManager::Secret');
    expect(secrets).toHaveLength(13);
    for (const [, secret] of secrets) {
      expect(secret.Properties).not.toHaveProperty('SecretString');
      expect(secret.Properties.GenerateSecretString).toEqual({
        PasswordLength: 40,
        ExcludePunctuation: true,
      });
    }
    expect(JSON.stringify(stack.template.toJSON())).not.toContain('{{resolve:');
  });

  const secretId = (start: string) => stack.idOf('AWS::SecretsManager::Secret', start);
  const readableBy = (name: FunctionName) =>
    (stack.mayDo(name, 'secretsmanager:GetSecretValue') as { Ref: string }[])
      .filter((resource) => !isSlackTokens(resource))
      .map(({ Ref }) => Ref)
      .sort();

  it.each<[FunctionName, Record<string, string>]>([
    ['step', {}],
    [
      'http',
      { API_TOKEN_SECRET_ID: 'SecretsApiToken', CALLBACK_SIGNING_SECRET_ID: 'SecretsCallbackSigning' },
    ],
    ['hooks', {}],
    ['tool', {}],
    ['dead-letter', {}],
    ['sweep', {}],
    [
      'deliver',
      {
        CALLBACK_SIGNING_SECRET_ID: 'SecretsCallbackSigning',
        LINK_SIGNING_SECRET_ID: 'SecretsLinkSigning',
        SLACK_CLIENT_SECRET_ID: 'SecretsSlackClient',
      },
    ],
    [
      'slack',
      {
        SLACK_CLIENT_SECRET_ID: 'SecretsSlackClient',
        SLACK_SIGNING_SECRET_ID: 'SecretsSlackSigning',
      },
    ],
    ['slack-jobs', { SLACK_CLIENT_SECRET_ID: 'SecretsSlackClient' }],
    ['channels', { LINK_SIGNING_SECRET_ID: 'SecretsLinkSigning' }],
    ['mail', {}],
    ['socket', {}],
    ['agui', { API_TOKEN_SECRET_ID: 'SecretsApiToken' }],
  ])('%s may read its own and no other: %j', (name, expected) => {
    const { Variables } = stack.fn(name).properties.Environment;
    const told = Object.entries(Variables).filter(([variable]) => /_SECRETS?_ID$/.test(variable));
    const wanted = Object.entries(expected).map(([variable, start]) => [variable, { Ref: secretId(start) }]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(wanted));
    const declared = declaredIn(Variables.SECRETS);
    expect(readableBy(name)).toEqual([...Object.values(expected).map(secretId), ...declared.values()].sort());
  });

  it('that the definition declares are configured and granted in the functions that name them', () => {
    const told = (name: FunctionName) => {
      const declared = declaredIn(stack.fn(name).properties.Environment.Variables.SECRETS);
      for (const [secret, ref] of declared)
        expect(ref).toBe(secretId(`Secrets${secret.replaceAll('_', '')}`));
      return [...declared.keys()];
    };
    expect(
      Object.fromEntries((['step', 'tool', 'hooks'] as const).map((name) => [name, told(name)])),
    ).toEqual({
      step: ['FIRST_KEY', 'SECOND_KEY', 'TOOLS_KEY'],
      tool: ['QUEUE_KEY'],
      hooks: [
        'GITHUB_WEBHOOK_SECRET',
        'NOBODY_HAS_SET_THIS',
        'STANDARD_WEBHOOK_SECRET',
        'STRIPE_WEBHOOK_SECRET',
      ],
    });
  });

  it('of Slack workspaces are read and renewed by functions that post there, created by the app, and deleted by its jobs', () => {
    const holders = (action: string) =>
      functionsByName.filter((name) =>
        stack.mayDo(name, `secretsmanager:${action}`).some((resource) => isSlackTokens(resource)),
      );
    expect(holders('GetSecretValue')).toEqual(['deliver', 'slack', 'slack-jobs']);
    expect(holders('CreateSecret')).toEqual(['slack']);
    expect(holders('PutSecretValue')).toEqual(['deliver', 'slack', 'slack-jobs']);
    expect(holders('DeleteSecret')).toEqual(['slack-jobs']);
  });
});

const isSlackTokens = (resource: unknown) =>
  JSON.stringify(resource).includes(':secret:steploop/Test-Agents/slack/*');
