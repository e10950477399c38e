import { Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { describe, expect, test } from 'vitest';
import { type Computed, crowded, memoryOf } from '../../infra/compute.ts';
import { prepare } from '../../infra/definition/prepare.ts';
import type { Compute, SteploopProps } from '../../infra/props.ts';
import { Steploop } from '../../infra/steploop.ts';
import { ask, functionsByName, quickApp, synthesized } from './synthesized.fixture.ts';

/** The project's test agents, in a VPC with two private subnets. */
function deployed(props: Partial<SteploopProps>) {
  const app = quickApp();
  const stack = new Stack(app, 'Test');
  const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-0a1b2c3d',
    availabilityZones: ['a', 'b'],
    privateSubnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3e'],
  });
  const definition = 'test/support/agents/index.ts';
  return ask(app, stack, new Steploop(stack, 'Agents', { definition, vpc: { vpc }, ...props }));
}
type Deployed = ReturnType<typeof deployed>;

const isManaged = (stack: Deployed, name: (typeof functionsByName)[number]) =>
  stack.fn(name).properties.CapacityProviderConfig !== undefined;

/** Logical id of a function's alias, which points to its published version. */
function aliasOf(stack: Deployed, name: 'step' | 'tool' | 'agui'): string {
  const { id } = stack.fn(name);
  const [alias, ...others] = stack
    .resources('AWS::Lambda::Alias')
    .filter(([, { Properties }]) => Properties.FunctionName.Ref === id);
  if (!alias || others.length > 0) throw new Error(`${name} has ${alias ? 'several aliases' : 'no alias'}`);
  return alias[0];
}

describe('managed compute', () => {
  const stack = deployed({ compute: 'managed' });

  test('is used by the functions whose invocations wait, and no other', () => {
    expect(functionsByName.filter((name) => isManaged(stack, name))).toEqual(['step', 'tool', 'agui']);
  });

  test('has one ARM capacity provider, in the given VPC, with a maximum', () => {
    const provider = stack.idOf('AWS::Lambda::CapacityProvider', 'Managed');
    const group = stack.idOf('AWS::EC2::SecurityGroup', 'Managed');
    expect(stack.template.findResources('AWS::Lambda::CapacityProvider')[provider]?.Properties).toEqual({
      InstanceRequirements: { Architectures: ['arm64'] },
      CapacityProviderScalingConfig: { MaxVCpuCount: 30 },
      PermissionsConfig: {
        CapacityProviderOperatorRoleArn: {
          'Fn::GetAtt': [stack.idOf('AWS::IAM::Role', 'ManagedOperator'), 'Arn'],
        },
      },
      VpcConfig: {
        SubnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3e'],
        SecurityGroupIds: [{ 'Fn::GetAtt': [group, 'GroupId'] }],
      },
    });
    for (const name of ['step', 'tool', 'agui'] as const)
      expect(stack.fn(name).properties.CapacityProviderConfig).toEqual({
        LambdaManagedInstancesCapacityProviderConfig: {
          CapacityProviderArn: { 'Fn::GetAtt': [provider, 'Arn'] },
          PerExecutionEnvironmentMaxConcurrency: 64,
          ExecutionEnvironmentMemoryGiBPerVCpu: 2,
        },
      });
  });

  test('is operated by Lambda, for this account only, with the policy of AWS', () => {
    const role = stack.idOf('AWS::IAM::Role', 'ManagedOperator');
    const { Properties } = stack.template.findResources('AWS::IAM::Role')[role] ?? {};
    expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: 'lambda.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
    expect(JSON.stringify(Properties.ManagedPolicyArns)).toContain(
      ':iam::aws:policy/AWSLambdaManagedEC2ResourceOperator',
    );
  });

  test('connects functions through their instances: none has its own network interface', () => {
    for (const name of functionsByName) {
      expect(stack.fn(name).properties.VpcConfig).toBeUndefined();
      expect(stack.mayDo(name, 'ec2:CreateNetworkInterface')).toEqual([]);
    }
  });

  test('publishes a version, and nothing else', () => {
    for (const name of ['step', 'tool', 'agui'] as const) {
      const { id, properties } = stack.fn(name);
      expect(properties.PublishToLatestPublished).toBe(false);
      const versions = stack
        .resources('AWS::Lambda::Version')
        .filter(([, { Properties }]) => Properties.FunctionName.Ref === id);
      expect(versions).toHaveLength(1);
      expect(versions[0]?.[1].Properties.FunctionScalingConfig).toEqual({ MinExecutionEnvironments: 3 });
      const alias = stack.template.findResources('AWS::Lambda::Alias')[aliasOf(stack, name)];
      expect(alias?.Properties).toMatchObject({
        Name: 'live',
        FunctionVersion: { 'Fn::GetAtt': [versions[0]?.[0], 'Version'] },
      });
    }
  });

  test('has queues and the AG-UI address invoke the published version', () => {
    const consumers = stack
      .resources('AWS::Lambda::EventSourceMapping')
      .map(([, { Properties }]) => [JSON.stringify(Properties.FunctionName), Properties.ScalingConfig]);
    for (const [name, most] of [['step', 50] as const, ['tool', 20] as const])
      expect(consumers).toContainEqual([
        expect.stringMatching(new RegExp(`${aliasOf(stack, name)}.*:live`)),
        { MaximumConcurrency: most },
      ]);
    stack.template.hasResourceProperties('AWS::Lambda::Url', {
      TargetFunctionArn: { 'Fn::GetAtt': [stack.fn('agui').id, 'Arn'] },
      Qualifier: 'live',
      InvokeMode: 'RESPONSE_STREAM',
    });
    const invokers = stack
      .resources('AWS::Lambda::Permission')
      .filter(([, { Properties }]) => Properties.FunctionName?.Ref === aliasOf(stack, 'agui'))
      .map(([, { Properties }]) => Properties.Action);
    expect(invokers).toContain('lambda:InvokeFunctionUrl');
  });

  test('has alarms on the functions that run there', () => {
    for (const name of ['step', 'tool', 'agui'] as const)
      for (const MetricName of ['Errors', 'Throttles'])
        stack.template.hasResourceProperties('AWS::CloudWatch::Alarm', {
          MetricName,
          Dimensions: [{ Name: 'FunctionName', Value: { Ref: stack.fn(name).id } }],
        });
  });
});

describe('the compute of each function', () => {
  test('has a logical id per kind of compute, and so is never changed in place', () => {
    const on = (compute: 'lambda' | 'managed') => deployed({ compute }).fn('step').id;
    expect(on('lambda')).not.toBe(on('managed'));
  });

  test('can be chosen for one alone, and the others go into the VPC only on request', () => {
    const stack = deployed({ compute: { agui: 'managed' } });
    expect(functionsByName.filter((name) => isManaged(stack, name))).toEqual(['agui']);
    const { id, properties } = stack.fn('step');
    expect(properties.VpcConfig).toBeDefined();
    expect(stack.resources('AWS::Lambda::EventSourceMapping')).toContainEqual([
      expect.any(String),
      expect.objectContaining({ Properties: expect.objectContaining({ FunctionName: { Ref: id } }) }),
    ]);
  });

  test('with more memory has more vCPUs, threads and invocations', () => {
    const stack = deployed({
      compute: { step: 'managed' },
      memory: { step: 8192 },
      managed: { memoryPerVcpu: 4, perVcpu: 10, maxVcpus: 100 },
    });
    const { MemorySize, CapacityProviderConfig, Environment } = stack.fn('step').properties;
    expect(MemorySize).toBe(8192);
    expect(CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig).toMatchObject({
      PerExecutionEnvironmentMaxConcurrency: 20,
      ExecutionEnvironmentMemoryGiBPerVCpu: 4,
    });
    expect(Environment.Variables.AWS_LAMBDA_NODEJS_WORKER_COUNT).toBe('2');
    stack.template.hasResourceProperties('AWS::Lambda::CapacityProvider', {
      CapacityProviderScalingConfig: { MaxVCpuCount: 100 },
    });
  });
});

describe('steps with a shell or a compiler', () => {
  const compute = { step: 'managed', tool: 'lambda', agui: 'lambda' } as const;
  const sharing = { maxVcpus: 30, environments: 3, perVcpu: 64, memoryPerVcpu: 2 };
  const facts = { ...prepare('test/support/agents/index.ts', false).facts, heavySteps: true };
  const warned = (managed: typeof sharing, heavySteps = true, places: Record<Computed, Compute> = compute) =>
    crowded(
      { compute: places, managed, memory: memoryOf({}, places, managed, facts) },
      { ...facts, heavySteps },
    )?.sentence;

  test('have more memory on Lambda', () => {
    expect(memoryOf({}, { ...compute, step: 'lambda' }, sharing, facts).step).toBe(1024);
    expect(memoryOf({ step: 640 }, { ...compute, step: 'lambda' }, sharing, facts).step).toBe(640);
  });

  test('raise a warning if 64 of them would share 2 GB', () => {
    expect(warned(sharing)).toContain('64 steps share 2 GB');
    expect(warned({ ...sharing, perVcpu: 16, memoryPerVcpu: 8 })).toBeUndefined();
    expect(warned(sharing, false)).toBeUndefined();
    expect(warned(sharing, true, { ...compute, step: 'lambda' })).toBeUndefined();
  });
});

describe('memory', () => {
  const of = (stack: ReturnType<typeof synthesized>) =>
    (['step', 'tool', 'agui'] as const).map((name) => stack.fn(name).properties.MemorySize);

  test('is small if steps run no shell and no compiler, since it sets the price of waiting', () => {
    expect(of(synthesized())).toEqual([512, 1024, 512]);
  });

  test('can be set', () => {
    expect(of(synthesized({ memory: { step: 768, tool: 2048 } }))).toEqual([768, 2048, 512]);
  });
});

test.each<[Partial<SteploopProps>, string]>([
  [
    { compute: 'managed' },
    'compute: step, tool, agui would run on instances in your VPC, so name it: vpc: { vpc: Vpc.fromLookup(this,',
  ],
  [
    { compute: { step: 'fargate' as 'lambda' } },
    "compute: must be 'lambda' or 'managed', or an object with one of them for",
  ],
  [{ memory: { step: 128 } }, 'memory.step: must be a whole number from 256 to 32768'],
  [{ memory: { step: 16_384 } }, 'memory.step: must be at most 10240, unless the function is managed'],
  [{ managed: { maxVcpus: 4 } }, 'managed.maxVcpus: must be a whole number from 12 to 15000'],
])('%j is refused', (props, sentence) => {
  expect(() => synthesized(props)).toThrow(sentence);
});

test.each<[Partial<SteploopProps>, string]>([
  [{ memory: { step: 3072 } }, 'memory.step: must be a multiple of 2048, for 1 to 16 vCPUs'],
  [
    { memory: { step: 32_768 } },
    'managed.maxVcpus: must be at least 54, for 3 environments of each of step, tool, agui; a deploy',
  ],
  [{ concurrency: { agui: 5 } }, 'concurrency.agui: a managed function cannot have reserved concurrency'],
])('on managed compute %j is refused', (props, sentence) => {
  expect(() => deployed({ compute: 'managed', ...props })).toThrow(sentence);
});
