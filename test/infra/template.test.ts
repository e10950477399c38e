import { Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Steploop } from '../../infra/steploop.ts';
import type { StepReport } from '../../shared/agent/ports/meter.ts';
import { meter } from '../../shared/aws/meter.ts';
import { env } from '../../shared/contract/env.ts';
import { outputs } from '../../shared/contract/outputs.ts';
import {
  askRoutes,
  channelRoutes,
  consoleRoutes,
  hookRoutes,
  httpRoutes,
  slackRoutes,
  socketRoutes,
} from '../../shared/contract/routes.ts';
import { written } from '../support/written.ts';
import { ask, functionsByName, quickApp, type Synthesized, synthesized } from './synthesized.fixture.ts';

let stack: Synthesized;
beforeAll(() => {
  stack = synthesized();
});

describe('the contract with functions and people', () => {
  it('has no parameters except the CDK’s own: a deployment is configured by props', () => {
    expect(Object.keys(stack.template.findParameters('*'))).toEqual(['BootstrapVersion']);
  });

  it('has the outputs of the contract, described, and readable from the metadata', () => {
    const found = stack.template.findOutputs('*');
    const { outputs: ids } = stack.entry;
    const rest = Object.keys(found).filter((id) => !id.startsWith('AgentsSecret'));
    expect(Object.values(ids).sort()).toEqual(rest.sort());
    // There is no domain name.
    const names = Object.keys(outputs).filter((name) => !name.endsWith('DomainTarget'));
    expect(Object.keys(ids).sort()).toEqual(names.sort());
    for (const [name, id] of Object.entries(ids)) {
      expect(id).toBe(`Agents${name}`);
      expect(found[id]?.Description).toBe(outputs[name as keyof typeof outputs]);
    }
  });

  it('has an output for each secret that the definition declares', () => {
    const all = stack.template.findOutputs('*');
    expect(all.AgentsSecretStripeWebhookSecret).toEqual({
      Description: 'The secret STRIPE_WEBHOOK_SECRET of the definition.',
      Value: { Ref: stack.entry.secrets.STRIPE_WEBHOOK_SECRET },
    });
    const ids = Object.keys(all).filter((id) => id.startsWith('AgentsSecret'));
    expect(ids).toHaveLength(Object.keys(stack.entry.secrets).length);
  });

  it.each(functionsByName)(
    'gives %s only environment variables of the contract, and none is empty',
    (name) => {
      const { Variables } = stack.fn(name).properties.Environment;
      expect(Object.keys(env)).toEqual(expect.arrayContaining(Object.keys(Variables)));
      for (const value of Object.values(Variables)) expect(value).toBeTruthy();
    },
  );

  it('uses only resource types that the embedded stack supports', () => {
    const { Resources, ...rest } = stack.template.toJSON();
    const types = new Set(Object.values<{ Type: string }>(Resources).map(({ Type }) => Type));
    expect([...types].sort()).toEqual([
      'AWS::ApiGatewayV2::Api',
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
      'AWS::ApiGatewayV2::Stage',
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::DynamoDB::Table',
      'AWS::Events::Rule',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Url',
      'AWS::Logs::LogGroup',
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
      'AWS::SES::ReceiptRule',
      'AWS::SES::ReceiptRuleSet',
      'AWS::SNS::Subscription',
      'AWS::SNS::Topic',
      'AWS::SNS::TopicPolicy',
      'AWS::SQS::Queue',
      'AWS::SQS::QueuePolicy',
      'AWS::SecretsManager::Secret',
    ]);
    expect(Object.keys(rest).sort()).toEqual(['Metadata', 'Outputs', 'Parameters', 'Rules']);
  });
});

describe('the access log of the HTTP API', () => {
  const groupOf = (one: Synthesized) =>
    one.resources('AWS::Logs::LogGroup').find(([id]) => /AccessLog/.test(id));
  const nameOf = (one: Synthesized) => groupOf(one)?.[1].Properties.LogGroupName;

  it('has a name that is covered by one resource policy for all APIs of an account', () => {
    const [start, ofStack] = nameOf(stack)['Fn::Join'][1];
    expect(start).toMatch(/^\/aws\/vendedlogs\/[\w-]{1,200}-$/);
    expect(ofStack).toEqual({ 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] });
    stack.template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      AccessLogSettings: { DestinationArn: { 'Fn::GetAtt': [groupOf(stack)?.[0], 'Arn'] } },
    });
  });

  it('is left behind, with its lines, when a stack from before the name is updated', () => {
    expect(groupOf(stack)?.[1]).toMatchObject({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Retain' });
  });

  it('keeps its name whatever the deployment is called, and shares it with no other', () => {
    expect(nameOf(synthesized({ name: 'another' }))).toEqual(nameOf(stack));
    const app = quickApp();
    const both = new Stack(app, 'Test');
    const definition = 'test/support/agents/index.ts';
    const agents = ['One', 'Two'].map(
      (id) => new Steploop(both, id, { definition, name: id.toLowerCase(), alarms: false }),
    );
    const names = ask(app, both, agents[0] as Steploop)
      .resources('AWS::Logs::LogGroup')
      .flatMap(([id, { Properties }]) =>
        /AccessLog/.test(id) ? [JSON.stringify(Properties.LogGroupName)] : [],
      );
    expect(new Set(names).size).toBe(2);
  });
});

describe('functions', () => {
  it.each(functionsByName)('%s runs on Node 24 and ARM, and logs JSON to its own group', (name) => {
    const { properties } = stack.fn(name);
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    });
    const group = stack.template.findResources('AWS::Logs::LogGroup')[properties.LoggingConfig.LogGroup.Ref];
    expect(group?.Properties).toEqual({ RetentionInDays: 30 });
  });

  it('share neither roles nor log groups', () => {
    const functions = functionsByName.map((name) => stack.fn(name).properties);
    expect(new Set(functions.map(({ Role }) => Role['Fn::GetAtt'][0])).size).toBe(functionsByName.length);
    expect(new Set(functions.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref)).size).toBe(
      functionsByName.length,
    );
  });

  it('allow recursion exactly if they may send to a queue', () => {
    const allowed = functionsByName.filter((name) => stack.fn(name).properties.RecursiveLoop === 'Allow');
    const senders = functionsByName.filter((name) => stack.mayDo(name, 'sqs:SendMessage').length > 0);
    expect(allowed).toEqual(senders);
    // The console has no queue or API to call.
    expect(senders).toEqual(functionsByName.filter((name) => name !== 'console'));
  });
});

describe('the step queue', () => {
  it('gives the step function one message at a time, accepts partial failures, and caps concurrency', () => {
    stack.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: stack.fn('step').id },
      EventSourceArn: { 'Fn::GetAtt': [stack.idOf('AWS::SQS::Queue', 'StepQueueWakes'), 'Arn'] },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 50 },
    });
  });

  it('hides a message for as long as a step may run, and not much longer', () => {
    const { Timeout } = stack.fn('step').properties;
    const id = stack.idOf('AWS::SQS::Queue', 'StepQueueWakes');
    const { VisibilityTimeout } = stack.template.findResources('AWS::SQS::Queue')[id]?.Properties ?? {};
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(Timeout);
    expect(VisibilityTimeout).toBeLessThan(2 * Timeout);
  });

  it('gives up on a message after five receives, and keeps it for two weeks', () => {
    const deadLetters = stack.idOf('AWS::SQS::Queue', 'StepQueueDeadLetters');
    stack.template.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { maxReceiveCount: 5, deadLetterTargetArn: { 'Fn::GetAtt': [deadLetters, 'Arn'] } },
    });
    stack.template.hasResourceProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 24 * 3600 });
  });

  it('has its dead letters consumed, one at a time', () => {
    stack.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: stack.fn('dead-letter').id },
      EventSourceArn: { 'Fn::GetAtt': [stack.idOf('AWS::SQS::Queue', 'StepQueueDeadLetters'), 'Arn'] },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('is encrypted and refuses plain HTTP, and so are its dead letters', () => {
    for (const [id, queue] of stack.resources('AWS::SQS::Queue')) {
      expect(queue.Properties.SqsManagedSseEnabled).toBe(true);
      stack.template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: id }],
        PolicyDocument: Match.objectLike({ Statement: Match.arrayWith([refusesPlainHttp('sqs:*')]) }),
      });
    }
  });

  it('is swept each minute', () => {
    stack.template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [stack.fn('sweep').id, 'Arn'] } })],
    });
  });
});

describe('the tool queue', () => {
  const queueId = () => stack.idOf('AWS::SQS::Queue', 'ToolQueueCalls');

  it('gives the tool function one call at a time, accepts partial failures, and caps concurrency', () => {
    stack.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: stack.fn('tool').id },
      EventSourceArn: { 'Fn::GetAtt': [queueId(), 'Arn'] },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 20 },
    });
  });

  it('hides a call until its worker must be dead, which is Lambda’s time limit', () => {
    expect(stack.fn('tool').properties.Timeout).toBe(900);
    const { VisibilityTimeout, RedrivePolicy } =
      stack.template.findResources('AWS::SQS::Queue')[queueId()]?.Properties ?? {};
    expect(VisibilityTimeout).toBeGreaterThan(900);
    const deadLetters = stack.idOf('AWS::SQS::Queue', 'ToolQueueDeadLetters');
    expect(RedrivePolicy).toEqual({
      maxReceiveCount: 20,
      deadLetterTargetArn: { 'Fn::GetAtt': [deadLetters, 'Arn'] },
    });
    stack.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: stack.fn('dead-letter').id },
      EventSourceArn: { 'Fn::GetAtt': [deadLetters, 'Arn'] },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('accepts calls only from functions that run sessions', () => {
    const queue = { 'Fn::GetAtt': [queueId(), 'Arn'] };
    const senders = functionsByName.filter((name) =>
      JSON.stringify(stack.mayDo(name, 'sqs:SendMessage')).includes(JSON.stringify(queue)),
    );
    expect(senders).toEqual(['step', 'dead-letter']);
  });

  it('is consumed by a function that has no model configured', () => {
    const { Variables } = stack.fn('tool').properties.Environment;
    expect(Object.keys(Variables).filter((name) => name.includes('MODEL'))).toEqual([]);
  });
});

describe('the delivery queue', () => {
  it('gives its consumer one delivery at a time, and hides it until the consumer’s lease ends', () => {
    const id = stack.idOf('AWS::SQS::Queue', 'DeliveriesQueue');
    const { VisibilityTimeout, RedrivePolicy } =
      stack.template.findResources('AWS::SQS::Queue')[id]?.Properties ?? {};
    expect(VisibilityTimeout).toBeGreaterThan(stack.fn('deliver').properties.Timeout);
    expect(RedrivePolicy.maxReceiveCount).toBe(5);
    stack.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: stack.fn('deliver').id },
      EventSourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('accepts messages from functions that commit, from its consumer, for tries at once, and from clicks that settle something', () => {
    const queue = { 'Fn::GetAtt': [stack.idOf('AWS::SQS::Queue', 'DeliveriesQueue'), 'Arn'] };
    const senders = functionsByName.filter((name) =>
      JSON.stringify(stack.mayDo(name, 'sqs:SendMessage')).includes(JSON.stringify(queue)),
    );
    expect(senders).toEqual(['step', 'dead-letter', 'deliver', 'http', 'slack', 'channels']);
  });
});

describe('the delivery queue of Slack', () => {
  it('has a mapping of its own, so that callbacks and threads do not wait for each other', () => {
    const mapped = ['DeliveriesQueue', 'DeliveriesSlackQueue'].map((start) => {
      const id = stack.idOf('AWS::SQS::Queue', start);
      const [mapping] = stack
        .resources('AWS::Lambda::EventSourceMapping')
        .filter(([, { Properties }]) => Properties.EventSourceArn['Fn::GetAtt']?.[0] === id);
      return mapping?.[1].Properties;
    });
    for (const mapping of mapped)
      expect(mapping).toMatchObject({
        FunctionName: { Ref: stack.fn('deliver').id },
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: 50 },
      });
  });
});

describe('storage', () => {
  it('is one table, on demand, recoverable, with expiry and a sparse index of due sessions', () => {
    stack.template.resourceCountIs('AWS::DynamoDB::Table', 1);
    stack.template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
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
          {
            IndexName: 'listed',
            KeySchema: [
              { AttributeName: 'listedAs', KeyType: 'HASH' },
              { AttributeName: 'listedAt', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        AttributeDefinitions: Match.arrayWith([{ AttributeName: 'sweepAt', AttributeType: 'N' }]),
      },
    });
  });

  it('is one bucket, private, encrypted, over TLS only', () => {
    stack.template.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      Properties: {
        BucketEncryption: Match.anyValue(),
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        LifecycleConfiguration: {
          Rules: [
            Match.objectLike({ AbortIncompleteMultipartUpload: Match.anyValue() }),
            Match.objectLike({ Prefix: '_uploads/', ExpirationInDays: 1, Status: 'Enabled' }),
            Match.objectLike({ Prefix: '_mail/', ExpirationInDays: 14, Status: 'Enabled' }),
          ],
        },
        CorsConfiguration: {
          CorsRules: [
            {
              AllowedOrigins: ['*'],
              AllowedMethods: ['PUT', 'GET'],
              AllowedHeaders: ['content-type'],
              MaxAge: 3600,
            },
          ],
        },
      },
    });
    stack.template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: Match.objectLike({ Statement: Match.arrayWith([refusesPlainHttp('s3:*')]) }),
    });
  });
});

describe('the APIs', () => {
  it('have exactly the routes of the contract, with one integration per function', () => {
    const routes = stack.resources('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties);
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual(
      [
        ...[...httpRoutes, ...hookRoutes, ...slackRoutes, ...consoleRoutes, ...socketRoutes],
        ...[...askRoutes, ...channelRoutes],
      ].sort(),
    );
    stack.template.resourceCountIs('AWS::ApiGatewayV2::Integration', 7);
  });

  it('let pages of any origin call with a token, over HTTP and SSE', () => {
    const [[, api] = []] = stack
      .resources('AWS::ApiGatewayV2::Api')
      .filter(([id]) => id.startsWith('AgentsHttpApi'));
    expect(api?.Properties.CorsConfiguration).toMatchObject({
      AllowOrigins: ['*'],
      AllowHeaders: expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']),
    });
    expect(api?.Properties.CorsConfiguration).not.toHaveProperty('AllowCredentials', true);
    stack.template.hasResourceProperties('AWS::Lambda::Url', {
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
      Cors: { AllowOrigins: ['*'], AllowHeaders: ['authorization', 'content-type'] },
    });
  });

  it('are throttled, each in one stage that deploys automatically', () => {
    const stages = stack.resources('AWS::ApiGatewayV2::Stage').map(([, { Properties }]) => Properties);
    expect(stages.map(({ StageName }) => StageName).sort()).toEqual(['$default', 'live']);
    for (const { AutoDeploy, DefaultRouteSettings } of stages) {
      expect(AutoDeploy).toBe(true);
      expect(DefaultRouteSettings.ThrottlingRateLimit).toBeGreaterThan(0);
      expect(DefaultRouteSettings.ThrottlingBurstLimit).toBeGreaterThan(0);
    }
    // 10,000 webhooks may arrive in ten seconds.
    const http = stages.find(({ StageName }) => StageName === '$default');
    expect(http?.DefaultRouteSettings.ThrottlingRateLimit).toBeGreaterThanOrEqual(1_000);
  });

  it('give functions the address of the socket in API Gateway’s form', () => {
    const api = stack.idOf('AWS::ApiGatewayV2::Api', 'SocketApi');
    const url = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [api, 'ApiEndpoint'] }, '/live']] };
    const told = functionsByName.filter(
      (name) => 'SOCKET_URL' in stack.fn(name).properties.Environment.Variables,
    );
    expect(told).toEqual(['step', 'tool', 'dead-letter', 'http', 'socket', 'console']);
    for (const name of told) {
      expect(stack.fn(name).properties.Environment.Variables.SOCKET_URL).toEqual(url);
    }
  });
});

describe('alarms', () => {
  it('say what happened and where the runbook is', () => {
    const alarms = stack.resources('AWS::CloudWatch::Alarm');
    expect(alarms).not.toHaveLength(0);
    for (const [, { Properties }] of alarms) {
      expect(Properties.AlarmDescription).toMatch(/^[A-Z].+\. Runbook: docs\/operating\.md#[a-z-]+$/);
      expect(Properties.TreatMissingData).toBe('notBreaching');
    }
  });

  it.each(functionsByName)('go off when %s fails or is throttled', (name) => {
    const { id } = stack.fn(name);
    const watched = alarmsOn('AWS/Lambda').filter(({ Dimensions }) =>
      Dimensions.some(({ Value }: { Value: { Ref?: string } }) => Value.Ref === id),
    );
    expect(watched.map(({ MetricName }) => MetricName)).toEqual(
      expect.arrayContaining(['Errors', 'Throttles']),
    );
  });

  it('go off when messages wait that a caller waits for, and for every dead-letter queue', () => {
    const watched = (metric: string) =>
      alarmsOn('AWS/SQS')
        .filter(({ MetricName }) => MetricName === metric)
        .map(({ Dimensions }) => Dimensions[0].Value['Fn::GetAtt'][0])
        .sort();
    const queue = (start: string) => stack.idOf('AWS::SQS::Queue', start);
    expect(watched('ApproximateAgeOfOldestMessage')).toEqual(
      [
        queue('StepQueueWakes'),
        queue('ToolQueueCalls'),
        queue('DeliveriesQueue'),
        queue('DeliveriesSlackQueue'),
      ].sort(),
    );
    const targets = stack
      .resources('AWS::SQS::Queue')
      .flatMap(([, { Properties }]) => Properties.RedrivePolicy?.deadLetterTargetArn['Fn::GetAtt'][0] ?? []);
    const dead = [...new Set(targets)];
    expect(dead).toHaveLength(5);
    expect(watched('ApproximateNumberOfMessagesVisible')).toEqual(dead.sort());
  });

  it('go off for 5xx of every API', () => {
    const api = (start: string) => stack.idOf('AWS::ApiGatewayV2::Api', start);
    const watched = alarmsOn('AWS/ApiGateway').map(({ MetricName, Dimensions }) => [
      MetricName,
      Dimensions[0].Value.Ref,
    ]);
    expect(watched).toEqual([
      ['ExecutionError', api('SocketApi')],
      ['IntegrationError', api('SocketApi')],
      ['5xx', api('HttpApi')],
    ]);
    const url = alarmsOn('AWS/Lambda').filter(({ MetricName }) => MetricName === 'Url5xxCount');
    expect(url.map(({ Dimensions }) => Dimensions[0].Value.Ref)).toEqual([stack.fn('agui').id]);
  });

  it('go off for the first run that ends because its model cannot be called, as with a revoked key', () => {
    const namespace = stack.fn('step').properties.Environment.Variables.METRICS_NAMESPACE;
    vi.stubEnv(env.METRICS_NAMESPACE, namespace);
    const lines = written(() => meter.step(revoked));
    vi.unstubAllEnvs();
    const { _aws, ...counted } = lines.at(-1) as Record<string, unknown> & { _aws: EmbeddedMetric };
    const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
    expect(Namespace).toBe('Steploop/Test-Agents');
    const rings = alarmsOn(Namespace).filter(
      (alarm) =>
        alarm.MetricName === Metrics[0].Name &&
        JSON.stringify(alarm.Dimensions) ===
          JSON.stringify(Dimensions[0].map((Name) => ({ Name, Value: counted[Name] }))),
    );
    expect(rings).toMatchObject([
      {
        Threshold: 1,
        EvaluationPeriods: 1,
        Period: 300,
        Statistic: 'Sum',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      },
    ]);
  });

  it('notify their own topic, to which CloudWatch may write', () => {
    const own = stack.idOf('AWS::SNS::Topic', 'Alarms');
    for (const [, { Properties }] of stack.resources('AWS::CloudWatch::Alarm')) {
      expect(Properties.AlarmActions).toEqual([{ Ref: own }]);
      expect(Properties.OKActions).toEqual([{ Ref: own }]);
    }
    stack.template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      Topics: [{ Ref: own }],
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 'sns:Publish',
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Resource: { Ref: own },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      }),
    });
  });
});

interface EmbeddedMetric {
  readonly CloudWatchMetrics: [{ Namespace: string; Dimensions: [string[]]; Metrics: [{ Name: string }] }];
}

const revoked: StepReport = {
  ...{ key: { tenant: 'acme', sessionId: 's1' }, agent: 'triage', run: 's1-0', step: 0, attempt: 1 },
  ...{ model: 'm', modelMs: 1, toolsMs: 0, toolCalls: 0, costUsd: 0, ending: 'ended' },
  counted: { calls: 0, successes: 0, failures: 0 },
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ended: { state: 'error', reason: 'provider_error', code: 'authentication_error', message: 'No.', at: 1 },
};

/** Properties of the alarms on metrics of one namespace. */
const alarmsOn = (namespace: string) =>
  stack
    .resources('AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => Properties)
    .filter(({ Namespace }) => Namespace === namespace);

function refusesPlainHttp(action: string) {
  return Match.objectLike({
    Action: action,
    Effect: 'Deny',
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  });
}
