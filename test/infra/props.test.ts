import { CfnParameter, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { WrongDefinition } from '../../infra/definition/wrong.ts';
import type { SteploopProps } from '../../infra/props.ts';
import { Steploop } from '../../infra/steploop.ts';
import { ask, functionsByName, quickApp, type Synthesized, synthesized } from './synthesized.fixture.ts';

const definition = 'test/support/agents/index.ts';

/** A Steploop whose props need something from its stack. */
function deployed(props: (scope: Stack) => Partial<SteploopProps>) {
  const app = quickApp();
  const stack = new Stack(app, 'Test', { env: { account: '111111111111', region: 'eu-central-1' } });
  return ask(app, stack, new Steploop(stack, 'Agents', { definition, ...props(stack) }));
}

const vpcOf = (scope: Construct) =>
  Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId: 'vpc-0a1b2c3d',
    availabilityZones: ['a'],
    privateSubnetIds: ['subnet-0a1b2c3d'],
    isolatedSubnetIds: ['subnet-0a1b2c3e'],
  });

describe('limits', () => {
  test('of a stage are configured in the functions that enforce them', () => {
    const stack = synthesized({
      stepLeaseSeconds: 30,
      concurrency: { steps: 7, tools: 3, agui: 5 },
      requests: { http: 8, socket: 9 },
      budgets: { tokensPerDay: 1000, usdPerDay: 2.5, stepsPerDay: 30 },
      limits: {
        messagesPerMinute: 11,
        requestsPerSecond: 15,
        sessionsAtOnce: 12,
        streamsAtOnce: 13,
        watchSeconds: 14,
      },
    });
    const told = (name: 'step' | 'http' | 'agui' | 'socket') =>
      stack.fn(name).properties.Environment.Variables;
    expect(told('step')).toMatchObject({
      STEP_LEASE_SECONDS: '30',
      TENANT_TOKENS_PER_DAY: '1000',
      TENANT_USD_PER_DAY: '2.5',
      TENANT_STEPS_PER_DAY: '30',
    });
    for (const name of ['http', 'socket', 'agui'] as const)
      expect(told(name)).toMatchObject({ REQUESTS_PER_SECOND: '15' });
    expect(told('http')).toMatchObject({ MESSAGES_PER_MINUTE: '11', SESSIONS_AT_ONCE: '12' });
    expect(told('agui')).toMatchObject({
      SESSIONS_AT_ONCE: '12',
      STREAMS_AT_ONCE: '13',
      WATCH_SECONDS: '14',
    });
    const caps = stack
      .resources('AWS::Lambda::EventSourceMapping')
      .map(([, { Properties }]) => [
        Properties.FunctionName.Ref,
        Properties.ScalingConfig?.MaximumConcurrency,
      ]);
    expect(caps).toEqual(
      expect.arrayContaining([
        [stack.fn('step').id, 7],
        [stack.fn('tool').id, 3],
      ]),
    );
    expect(stack.fn('agui').properties.ReservedConcurrentExecutions).toBe(5);
    const rates = stack
      .resources('AWS::ApiGatewayV2::Stage')
      .map(([, { Properties }]) => [
        Properties.StageName,
        Properties.DefaultRouteSettings.ThrottlingRateLimit,
      ]);
    expect(Object.fromEntries(rates)).toEqual({ $default: 8, live: 9 });
  });

  test('reserve nothing unless they are set, except for AG-UI', () => {
    const stack = synthesized();
    const reserved = functionsByName.filter(
      (name) => stack.fn(name).properties.ReservedConcurrentExecutions !== undefined,
    );
    expect(reserved).toEqual(['agui']);
  });

  test('may be the user’s own parameters', () => {
    const stack = deployed((scope) => ({
      stepLeaseSeconds: new CfnParameter(scope, 'Lease', { type: 'Number', default: 60 }).valueAsNumber,
    }));
    expect(stack.fn('step').properties.Environment.Variables.STEP_LEASE_SECONDS).toEqual({ Ref: 'Lease' });
  });
});

describe('a wrong prop', () => {
  const wrong: [object, string][] = [
    [{ stepLeaseSeconds: 1 }, 'stepLeaseSeconds: must be a whole number from 2 to 300'],
    [{ concurrency: { steps: 1.5 } }, 'concurrency.steps: must be a whole number from 2 to 64000'],
    [{ requests: { http: 0 } }, 'requests.http: must be a whole number from 1 to 100000'],
    [{ concurrency: { agui: 0 } }, 'concurrency.agui: must be a whole number of 1 or more'],
    [{ budgets: { usdPerDay: -1 } }, 'budgets.usdPerDay: must be a number of 0 or more'],
    [{ name: 'a b' }, 'name: use 1 to 64 letters, digits, - and _'],
    [{ alarms: { email: 'nobody' } }, 'alarms.email: must be an e-mail address'],
    [{ removalPolcy: 'destroy' }, 'Unrecognized key: "removalPolcy"'],
    [{ settings: { NO_SUCH: 'x' } }, 'settings.NO_SUCH: the definition declares no setting of this name'],
    [{ modelUrls: { absent: 'https://a' } }, 'modelUrls.absent: the definition declares no model server'],
    [{ identity: { issuer: 'https://a' } }, 'identity: the definition has none, so JWTs are not accepted'],
  ];
  test.each(wrong)('%j gives one sentence, with the place of the construct', (props, sentence) => {
    const make = () => synthesized({ definition: 'steploop.config.ts', ...props });
    expect(make).toThrow(WrongDefinition);
    expect(make).toThrow(`Steploop Test/Agents: ${sentence}`);
  });
});

describe('names', () => {
  test('of two constructs in one stack do not collide, nor do their metrics and Slack workspace secrets', () => {
    const app = quickApp();
    const stack = new Stack(app, 'Test');
    const [one, other] = ['One', 'Other'].map((id) => new Steploop(stack, id, { definition, alarms: false }));
    if (!one || !other) throw new Error('there are two');
    const [first, second] = [ask(app, stack, one), ask(app, stack, other)];
    expect([one.name, other.name]).toEqual(['Test-One', 'Test-Other']);
    for (const variable of ['SLACK_TOKEN_PREFIX', 'METRICS_NAMESPACE', 'TABLE_NAME', 'STEP_QUEUE_URL']) {
      const [a, b] = [first, second].map((it) => it.fn('slack').properties.Environment.Variables[variable]);
      expect(a).toBeDefined();
      expect(a).not.toEqual(b);
    }
    const names = first.resources('AWS::ApiGatewayV2::Api').map(([, { Properties }]) => Properties.Name);
    expect(new Set(names).size).toBe(4);
    expect(first.entry.outputs.HttpUrl).toBe('OneHttpUrl');
    expect(second.entry.outputs.HttpUrl).toBe('OtherHttpUrl');
    // Neither may read the other's tokens.
    const tokens = JSON.stringify(first.mayDo('slack', 'secretsmanager:GetSecretValue'));
    expect(tokens).toContain('steploop/Test-One/slack/*');
    expect(tokens).not.toContain('Test-Other');
  });

  test('of two stages of one app differ', () => {
    const app = quickApp();
    const names = ['Beta', 'Live'].map(
      (id) => new Steploop(new Stack(new Stage(app, id), 'Stack'), 'Agents', { definition }).name,
    );
    expect(names).toEqual(['Beta-Stack-Agents', 'Live-Stack-Agents']);
  });

  test('that are too long for a metric or a secret are cut, and stay distinct', () => {
    const app = quickApp();
    const stack = new Stack(app, `Long${'g'.repeat(80)}`);
    const names = ['One', 'Two'].map((id) => new Steploop(stack, id, { definition }).name);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect(new Set(names).size).toBe(2);
  });

  test('can be chosen', () => {
    const { agents, fn } = synthesized({ name: 'support' });
    expect(agents.name).toBe('support');
    expect(fn('slack').properties.Environment.Variables.SLACK_TOKEN_PREFIX).toBe('steploop/support/slack/');
  });
});

describe('a VPC', () => {
  const inVpc = (stack: ReturnType<typeof deployed>) =>
    functionsByName.filter((name) => stack.fn(name).properties.VpcConfig !== undefined);

  test('contains the functions that run tools, with the permissions that Lambda needs to connect them', () => {
    const stack = deployed((scope) => ({ vpc: { vpc: vpcOf(scope) } }));
    expect(inVpc(stack)).toEqual(['step', 'tool']);
    for (const name of inVpc(stack)) {
      expect(stack.fn(name).properties.VpcConfig.SubnetIds).toEqual(['subnet-0a1b2c3d']);
      expect(stack.mayDo(name, 'ec2:CreateNetworkInterface')).toEqual(['*']);
    }
    expect(stack.mayDo('http', 'ec2:CreateNetworkInterface')).toEqual([]);
  });

  test('may contain all functions, in the user’s own subnets and security groups', () => {
    const stack = deployed((scope) => {
      const vpc = vpcOf(scope);
      const securityGroups = [SecurityGroup.fromSecurityGroupId(scope, 'Group', 'sg-0a1b2c3d')];
      return {
        vpc: { vpc, functions: 'all', subnets: { subnets: vpc.isolatedSubnets }, securityGroups },
      };
    });
    expect(inVpc(stack)).toEqual(functionsByName);
    for (const name of functionsByName)
      expect(stack.fn(name).properties.VpcConfig).toMatchObject({
        SubnetIds: ['subnet-0a1b2c3e'],
        SecurityGroupIds: ['sg-0a1b2c3d'],
      });
  });
});

describe('domain names', () => {
  const certificateOf = (scope: Construct) =>
    Certificate.fromCertificateArn(scope, 'C', 'arn:aws:acm:eu-central-1:111111111111:certificate/1');

  test('are those of the outputs, with DNS records if the zone is known', () => {
    const stack = deployed((scope) => {
      const certificate = certificateOf(scope);
      const zone = HostedZone.fromHostedZoneAttributes(scope, 'Z', {
        hostedZoneId: 'Z1',
        zoneName: 'a.example',
      });
      return {
        domain: {
          http: { name: 'api.a.example', certificate, zone },
          socket: { name: 'live.a.example', certificate },
        },
      };
    });
    const { outputs } = stack.agents;
    expect(outputs).toMatchObject({ HttpUrl: 'https://api.a.example', SocketUrl: 'wss://live.a.example' });
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(['HttpDomainTarget', 'SocketDomainTarget']));
    const stages = Object.fromEntries(
      stack
        .resources('AWS::ApiGatewayV2::ApiMapping')
        .map(([, { Properties }]) => [Properties.ApiId.Ref, Properties.ApiMappingKey]),
    );
    expect(stages).toEqual({
      [stack.idOf('AWS::ApiGatewayV2::Api', 'HttpApi')]: undefined,
      [stack.idOf('AWS::ApiGatewayV2::Api', 'SocketApi')]: undefined,
    });
    const records = stack.resources('AWS::Route53::RecordSet').map(([, { Properties }]) => Properties);
    expect(records).toMatchObject([{ Name: 'api.a.example.', Type: 'A', HostedZoneId: 'Z1' }]);
  });

  test('are not used by functions that push: AWS’s own name stays', () => {
    const stack = deployed((scope) => ({
      domain: { socket: { name: 'live.a.example', certificate: certificateOf(scope) } },
    }));
    expect(JSON.stringify(stack.fn('step').properties.Environment.Variables.SOCKET_URL)).toContain(
      'ApiEndpoint',
    );
  });
});

describe('alarms', () => {
  /** That of received mails. */
  const otherTopics = 1;
  const actions = (stack: ReturnType<typeof deployed>) =>
    stack.resources('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties.AlarmActions);

  test('go to a given topic, and none is created', () => {
    const arn = 'arn:aws:sns:eu-central-1:111111111111:alarms';
    const stack = deployed((scope) => ({ alarms: { topic: Topic.fromTopicArn(scope, 'T', arn) } }));
    stack.template.resourceCountIs('AWS::SNS::Topic', otherTopics);
    expect(actions(stack).length).toBeGreaterThan(20);
    for (const told of actions(stack)) expect(told).toEqual([arn]);
    expect(stack.agents.alarmTopic?.topicArn).toBe(arn);
  });

  test('are mailed to an address', () => {
    const stack = synthesized({ alarms: { email: 'ops@a.example' } });
    stack.template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@a.example',
      TopicArn: { Ref: stack.idOf('AWS::SNS::Topic', 'Alarms') },
    });
  });

  test('may notify no one', () => {
    const stack = synthesized({ alarms: { topic: 'none' } });
    stack.template.resourceCountIs('AWS::SNS::Topic', otherTopics);
    expect(actions(stack).length).toBeGreaterThan(20);
    for (const told of actions(stack)) expect(told).toBeUndefined();
    expect(stack.entry.outputs).not.toHaveProperty('AlarmsTopicArn');
  });

  test('may be absent', () => {
    const stack = synthesized({ alarms: false });
    stack.template.resourceCountIs('AWS::CloudWatch::Alarm', 0);
    stack.template.resourceCountIs('AWS::SNS::Topic', otherTopics);
  });
});

describe('telemetry', () => {
  const told = (stack: Synthesized, name: 'step' | 'dead-letter') =>
    stack.fn(name).properties.Environment.Variables.TELEMETRY;

  test('goes nowhere by default', () => {
    const stack = synthesized();
    for (const name of ['step', 'dead-letter'] as const) expect(told(stack, name)).toBe('{}');
  });

  test('goes to a collector from the functions that commit steps, with headers that no other function can read', () => {
    const stack = synthesized();
    const secretArn = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:otel-AbCdEf';
    const to = deployed((scope) => ({
      telemetry: {
        endpoint: 'https://otel.a.example',
        headersSecret: Secret.fromSecretCompleteArn(scope, 'Headers', secretArn),
        content: true,
      },
    }));
    for (const name of ['step', 'dead-letter'] as const) {
      expect(JSON.parse(told(to, name))).toEqual({
        endpoint: 'https://otel.a.example',
        service: to.agents.name,
        headersSecret: secretArn,
        content: 'true',
      });
    }
    const readers = functionsByName.filter((name) =>
      to.mayDo(name, 'secretsmanager:GetSecretValue').includes(secretArn),
    );
    expect(readers).toEqual(['step', 'dead-letter']);
    expect(
      functionsByName.filter((name) => 'TELEMETRY' in stack.fn(name).properties.Environment.Variables),
    ).toEqual(readers);
  });

  test('goes to a URL', () => {
    expect(() => synthesized({ telemetry: { endpoint: 'otel.a.example' } })).toThrow(
      'telemetry.endpoint: must be a URL',
    );
  });
});

describe('stored data', () => {
  test('may be deleted with the stack, without protection or backups', () => {
    const stack = synthesized({
      removalPolicy: RemovalPolicy.DESTROY,
      pointInTimeRecovery: false,
      logRetention: RetentionDays.ONE_WEEK,
    });
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket'])
      stack.template.hasResource(type, { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
    stack.template.hasResourceProperties('AWS::DynamoDB::Table', {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
    });
    const groups = stack.resources('AWS::Logs::LogGroup');
    expect(groups).toHaveLength(functionsByName.length + 1);
    for (const [, { Properties }] of groups) expect(Properties.RetentionInDays).toBe(7);
  });

  test('can be protected from deletion', () => {
    synthesized({ deletionProtection: true }).template.hasResourceProperties('AWS::DynamoDB::Table', {
      DeletionProtectionEnabled: true,
    });
  });
});

describe('grants of a user', () => {
  test('to the tools apply to the step and to the queued calls, and to no other function', () => {
    const stack = synthesized({}, (agents) => {
      const encryptionKey = new Key(Stack.of(agents), 'Key');
      new Bucket(Stack.of(agents), 'Files', { encryptionKey }).grantRead(agents.tools);
    });
    const files = stack.template.findResources('AWS::S3::Bucket');
    const id = Object.keys(files).find((name) => name.startsWith('Files')) ?? '';
    const readers = functionsByName.filter((name) =>
      JSON.stringify(stack.mayDo(name, 's3:GetObject*')).includes(id),
    );
    expect(readers).toEqual(['step', 'tool']);
    const decrypts = functionsByName.filter((name) => stack.mayDo(name, 'kms:Decrypt').length > 0);
    expect(decrypts).toEqual(['step', 'tool']);
  });

  test('on a secret of the definition find it by name', () => {
    const { agents } = synthesized({ definition: 'steploop.config.ts' });
    expect(agents.secret('GITHUB_TOKEN').secretArn).toBeTruthy();
    expect(() => agents.secret('GITHUB_TOKN')).toThrow(
      'the definition declares no secret GITHUB_TOKN; it has:',
    );
  });
});
