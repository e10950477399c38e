import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionName } from '../../infra/bundle.ts';
import { filled } from '../../infra/filled.ts';
import type { SteploopProps } from '../../infra/props.ts';
import { functionWrong, mappingWrong } from '../../local/stack/resources/lambda-limits.ts';
import { functionsByName, quickApp, type Synthesized, synthesized } from './synthesized.fixture.ts';

/** The largest stack stays within AWS's limits (docs/aws-limits.md). */

/** Every capability at once, with the longest names. */
const everything = {
  name: 'n'.repeat(64),
  lanes: 58,
  concurrency: { steps: 58_000 },
  requests: { http: 10_000, socket: 500 },
};

let stack: Synthesized;
beforeAll(() => {
  stack = synthesized(everything);
});

const template = () => stack.template.toJSON();

/** A value of a template with the names that CloudFormation makes. */
function named(value: unknown, { template: made }: Synthesized = stack, stackName = 's'.repeat(64)): unknown {
  const { Resources } = made.toJSON();
  return filled(value, { stackName, typeOf: (id) => Resources[id]?.Type });
}
const propertiesOf = (type: string) => stack.resources(type).map(([, { Properties }]) => Properties);
/** Characters of a value as JSON with names in place of references, without white space, which IAM does not count. */
const sizeOf = (value: unknown): number => JSON.stringify(named(value)).length;

describe('CloudFormation', () => {
  it('takes the template: 1 MB, 200 outputs and parameters, and descriptions of 1,024 bytes', () => {
    const { Outputs, Parameters } = template();
    expect(Buffer.byteLength(JSON.stringify(template()))).toBeLessThan(1_048_576);
    expect(Object.keys(Outputs).length).toBeLessThanOrEqual(200);
    expect(Object.keys(Parameters).length).toBeLessThanOrEqual(200);
    for (const { Description = '' } of Object.values<{ Description?: string }>(Outputs))
      expect(Buffer.byteLength(Description)).toBeLessThanOrEqual(1_024);
  });

  it('takes the names of outputs and resources: at most 255 letters and digits', () => {
    const names = [...Object.keys(template().Outputs), ...Object.keys(template().Resources)];
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9]{1,255}$/);
  });
});

describe('Lambda', () => {
  it.each(functionsByName)('takes the function %s: timeout, memory, variables and description', (name) => {
    const { Timeout, MemorySize, Environment, Description } = stack.fn(name).properties;
    const variables = named(Environment.Variables) as Record<string, string>;
    const sizes = { timeoutSeconds: Timeout, memoryMb: MemorySize, variables, isManaged: false };
    expect(functionWrong(sizes)).toBeUndefined();
    expect(Description.length).toBeLessThanOrEqual(256);
  });

  it('takes each mapping, and its queue hides a message for at least the function’s timeout', () => {
    const mappings = propertiesOf('AWS::Lambda::EventSourceMapping');
    expect(mappings.length).toBeGreaterThan(64);
    for (const { BatchSize, ScalingConfig, EventSourceArn, FunctionName } of mappings) {
      const concurrency = ScalingConfig.MaximumConcurrency;
      expect(mappingWrong({ batchSize: BatchSize, windowSeconds: 0, concurrency })).toBeUndefined();
      const { Timeout } = template().Resources[FunctionName.Ref].Properties;
      const queue = template().Resources[EventSourceArn['Fn::GetAtt'][0]].Properties;
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(Timeout);
    }
  });

  it('takes the policy of each function: 20 KB', () => {
    const bytesOf = new Map<string, number>();
    for (const permission of propertiesOf('AWS::Lambda::Permission')) {
      const target = JSON.stringify(permission.FunctionName);
      // A statement repeats the permission, with the names that IAM uses for its parts.
      bytesOf.set(target, (bytesOf.get(target) ?? 0) + sizeOf(permission) + 200);
    }
    expect(bytesOf.size).toBeGreaterThan(3);
    expect(Math.max(...bytesOf.values())).toBeLessThan(20_480);
  });
});

describe('IAM', () => {
  it('takes the inline policies of each role: 10,240 characters', () => {
    const charactersOf = new Map<string, number>();
    for (const { Roles, PolicyDocument } of propertiesOf('AWS::IAM::Policy'))
      for (const { Ref } of Roles)
        charactersOf.set(Ref, (charactersOf.get(Ref) ?? 0) + sizeOf(PolicyDocument));
    expect(charactersOf.size).toBe(functionsByName.length);
    expect(Math.max(...charactersOf.values())).toBeLessThan(10_240);
  });

  it('takes the description of each role, 1,000 characters, and who may assume it, 2,048', () => {
    for (const { Description, AssumeRolePolicyDocument } of propertiesOf('AWS::IAM::Role')) {
      expect(Description.length).toBeLessThanOrEqual(1_000);
      expect(sizeOf(AssumeRolePolicyDocument)).toBeLessThanOrEqual(2_048);
    }
  });

  it('takes any number of grants to tools: what does not fit inline becomes managed policies of 6,144 characters', () => {
    const granted = synthesized({}, (agents) => {
      for (let n = 0; n < 80; n++)
        Bucket.fromBucketName(Stack.of(agents), `Bucket${n}`, `${n}`.padEnd(63, 'b')).grantRead(agents.tools);
    });
    const step = granted.fn('step').properties.Role['Fn::GetAtt'][0];
    const of = (type: string) =>
      granted
        .resources(type)
        .filter(([, { Properties }]) => Properties.Roles?.some(({ Ref }: { Ref: string }) => Ref === step))
        .map(([, { Properties }]) => JSON.stringify(named(Properties.PolicyDocument, granted)).length);
    expect(of('AWS::IAM::Policy').reduce((sum, size) => sum + size, 0)).toBeLessThan(10_240);
    expect(of('AWS::IAM::ManagedPolicy').length).toBeGreaterThan(0);
    // More than ten need a higher quota of the account.
    expect(of('AWS::IAM::ManagedPolicy').length).toBeLessThanOrEqual(10);
    for (const size of of('AWS::IAM::ManagedPolicy')) expect(size).toBeLessThanOrEqual(6_144);
  });
});

describe('SQS', () => {
  it('takes each queue: its name, its times and its policy', () => {
    const queues = propertiesOf('AWS::SQS::Queue');
    expect(queues.length).toBeGreaterThan(64);
    for (const queue of queues) {
      expect((queue.QueueName ?? '').length).toBeLessThanOrEqual(80);
      expect(queue.VisibilityTimeout ?? 30).toBeLessThanOrEqual(43_200);
      expect(queue.MessageRetentionPeriod ?? 345_600).toBeLessThanOrEqual(1_209_600);
      const receives = queue.RedrivePolicy?.maxReceiveCount ?? 1;
      expect(receives).toBeGreaterThanOrEqual(1);
      expect(receives).toBeLessThanOrEqual(1_000);
    }
    for (const { PolicyDocument } of propertiesOf('AWS::SQS::QueuePolicy'))
      expect(sizeOf(PolicyDocument)).toBeLessThanOrEqual(8_192);
  });
});

describe('API Gateway', () => {
  it('takes each API: 300 routes and integrations, and a function that ends before it stops waiting', () => {
    for (const [id, { Properties }] of stack.resources('AWS::ApiGatewayV2::Api')) {
      const ofApi = (type: string) => propertiesOf(type).filter(({ ApiId }) => ApiId.Ref === id);
      expect(ofApi('AWS::ApiGatewayV2::Route').length).toBeLessThanOrEqual(300);
      expect(ofApi('AWS::ApiGatewayV2::Integration').length).toBeLessThanOrEqual(300);
      // 30 s over HTTP, and 29 s over WebSocket.
      const seconds = Properties.ProtocolType === 'HTTP' ? 30 : 29;
      for (const { IntegrationUri } of ofApi('AWS::ApiGatewayV2::Integration')) {
        const target = functionIn(IntegrationUri);
        expect(template().Resources[target].Properties.Timeout).toBeLessThanOrEqual(seconds);
      }
      expect(Properties.Name.length).toBeLessThanOrEqual(128);
    }
  });

  it('takes the format of the access log: 3 KB', () => {
    const formats = propertiesOf('AWS::ApiGatewayV2::Stage').flatMap(({ AccessLogSettings }) =>
      AccessLogSettings ? [AccessLogSettings.Format] : [],
    );
    expect(formats.length).toBeGreaterThan(0);
    for (const format of formats) expect(Buffer.byteLength(format)).toBeLessThanOrEqual(3_072);
  });
});

describe('CloudWatch, EventBridge and DynamoDB', () => {
  it('take each alarm: a description of 1,024 characters, and a namespace and dimensions of 255', () => {
    const alarms = propertiesOf('AWS::CloudWatch::Alarm');
    expect(alarms.length).toBeGreaterThan(64);
    for (const { AlarmDescription, Namespace, Dimensions = [] } of alarms) {
      expect(AlarmDescription.length).toBeLessThanOrEqual(1_024);
      expect(Namespace.length).toBeLessThanOrEqual(255);
      expect(Dimensions.length).toBeLessThanOrEqual(30);
    }
  });

  it('take the names of log groups: 512 characters', () => {
    const groups = propertiesOf('AWS::Logs::LogGroup').flatMap(({ LogGroupName }) =>
      LogGroupName ? [named(LogGroupName)] : [],
    );
    expect(groups.length).toBeGreaterThan(0);
    for (const name of groups) expect(String(name)).toMatch(/^[\w./#-]{1,512}$/);
  });

  it('take each rule: five targets, at most once a minute', () => {
    const rules = propertiesOf('AWS::Events::Rule');
    expect(rules.length).toBeGreaterThan(0);
    for (const { ScheduleExpression, Targets } of rules) {
      expect(ScheduleExpression).toMatch(/^rate\((1 minute|[1-9]\d* (minutes|hours|days))\)$/);
      expect(Targets.length).toBeLessThanOrEqual(5);
    }
  });

  it('take the table: 20 indexes, and 100 projected attributes', () => {
    const [{ GlobalSecondaryIndexes: indexes }] = propertiesOf('AWS::DynamoDB::Table');
    expect(indexes.length).toBeLessThanOrEqual(20);
    const projected = indexes.flatMap(({ Projection }: Indexed) => Projection.NonKeyAttributes ?? []);
    expect(projected.length).toBeLessThanOrEqual(100);
  });
});

describe('a function with as many secrets as the synthesis accepts', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'steploop-quotas-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  /** A deployment whose tool reads this many secrets, with everything that can be in the step function’s environment. */
  async function deployed(
    secrets: number,
    host = 'm'.repeat(60),
    more: Partial<SteploopProps> = {},
  ): Promise<Synthesized> {
    const file = join(root, `${secrets}.ts`);
    await writeFile(
      file,
      `import { defineAgent, defineDeployment, defineTool } from 'steploop';
      import * as z from 'zod';
      const secrets = Array.from({ length: ${secrets} }, (_, i) => 'KEY_' + i);
      const shared = { description: 'd', effect: 'read', input: z.object({}), run: () => 1, secrets };
      const tools = [defineTool({ ...shared, name: 't' }), defineTool({ ...shared, name: 'q', where: 'queue' })];
      export default defineDeployment({
        agents: [defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's', tools })],
        models: { primary: { baseUrl: 'https://models.example.com' } },
        callbacks: true,
        slack: { agentFor: () => 'a' },
        secrets: Object.fromEntries(secrets.map((name) => [name, { description: 'A key.' }])),
      });`,
    );
    return synthesized({
      ...everything,
      definition: file,
      modelUrls: { primary: `https://${host}.example.com/v1` },
      budgets: { tokensPerDay: 1_000_000_000, usdPerDay: 10_000, stepsPerDay: 1_000_000 },
      telemetry: { endpoint: `https://${'o'.repeat(60)}.example.com`, content: true },
      ...more,
    });
  }

  it('is refused before a deploy if it would have more than 4 KB of variables, whatever they are', async () => {
    const fits = await deployed(16);
    for (const name of ['step', 'tool'] satisfies FunctionName[]) {
      const bytes = JSON.stringify(named(fits.fn(name).properties.Environment.Variables, fits)).length;
      expect(bytes).toBeLessThanOrEqual(4_096);
    }
    // The secrets fit, and the address of the model does not.
    await expect(deployed(16, 'm'.repeat(1_500))).rejects.toThrow(
      /variables of the function Step have about \d{4} bytes/,
    );
  });

  it('is refused as well if only the variables that are added to a finished function do not fit', async () => {
    const fits = await deployed(16);
    const { Variables } = fits.fn('step').properties.Environment;
    const room = 4_096 - JSON.stringify(named(Variables, fits, Stack.of(fits.agents).stackName)).length;
    const host = 'm'.repeat(60 + room);
    await deployed(16, host);
    const arn = 'arn:aws:kms:eu-central-1:111111111111:key/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
    const encryptionKey = Key.fromKeyArn(new Stack(quickApp(), 'Keys'), 'Key', arn);
    await expect(deployed(16, host, { encryptionKey, tenantKeys: true })).rejects.toThrow(
      /variables of the function Step have about \d{4} bytes/,
    );
  });
});

interface Indexed {
  readonly Projection: { readonly NonKeyAttributes?: readonly string[] };
}

/** The function that an integration’s URI names. */
function functionIn(uri: unknown): string {
  const [, id] = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(JSON.stringify(uri)) ?? [];
  if (!id) throw new Error(`no function in ${JSON.stringify(uri)}`);
  return id;
}
