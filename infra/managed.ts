/**
 * Functions on instances that Lambda manages in a VPC of the user's (docs/managed.md, docs/adr/0021-managed.md): one capacity
 * provider for a whole `Steploop`, since its functions trust each other, and the code that assigns a function to it.
 */

import { Annotations, Aws } from 'aws-cdk-lib';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  Architecture,
  CapacityProvider,
  type Function as LambdaFunction,
  type VersionOptions,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';
import { type Computed, vcpusOf } from './compute.ts';
import type { Config } from './config.ts';
import type { VpcProps } from './props.ts';
import { subnetsOf } from './vpc.ts';

/** The compute of a function. */
export interface FunctionCompute {
  /** MB. */
  readonly memorySize: number;
  /** Undefined on Lambda's own environments. */
  readonly managed: Managed | undefined;
}

/** The compute of each function whose invocations wait. Instances are made with the first function that needs them. */
export function places(scope: Construct, config: Config): (name: Computed) => FunctionCompute {
  const { vpc, compute, memory } = config;
  let made: Managed | undefined;
  return (name) => {
    const isManaged = compute[name] === 'managed' && vpc !== undefined;
    if (isManaged) made ??= new Managed(scope, 'Managed', config, vpc);
    return { memorySize: memory[name], managed: isManaged ? made : undefined };
  };
}

export class Managed extends Construct {
  /** How a function that runs there is published. */
  readonly version: VersionOptions;
  private readonly provider: CapacityProvider;
  private readonly config: Config;

  constructor(scope: Construct, id: string, config: Config, vpc: VpcProps) {
    super(scope, id);
    this.config = config;
    this.version = { minExecutionEnvironments: config.managed.environments };
    this.provider = new CapacityProvider(this, 'Provider', {
      subnets: vpc.vpc.selectSubnets(subnetsOf(vpc)).subnets,
      securityGroups: vpc.securityGroups ? [...vpc.securityGroups] : [this.securityGroup(vpc)],
      operatorRole: this.operator(),
      architectures: [Architecture.ARM_64],
      maxVCpuCount: config.managed.maxVcpus,
    });
  }

  /**
   * Assigns a function to the provider, publishes it, and returns the alias to invoke. `$LATEST.PUBLISHED`, which Lambda would
   * make in addition to the version, would hold three idle environments of its own.
   */
  take(fn: LambdaFunction, memorySize: number): Alias {
    const { managed } = this.config;
    const vcpus = vcpusOf(memorySize, managed);
    // Its worker threads. If this is not set, the documentation says as many as vCPUs, and the code of the runtime says more.
    fn.addEnvironment('AWS_LAMBDA_NODEJS_WORKER_COUNT', String(vcpus));
    this.provider.addFunction(fn, {
      perExecutionEnvironmentMaxConcurrency: managed.perVcpu * vcpus,
      executionEnvironmentMemoryGiBPerVCpu: managed.memoryPerVcpu,
      publishToLatestPublished: false,
    });
    // The message says that the assignment cannot be undone. The function's logical id takes care of that.
    Annotations.of(fn).acknowledgeInfo('aws-lambda:Function.CapacityProviderConfiguration');
    return fn.addAlias('live');
  }

  private operator(): Role {
    const role = new Role(this, 'Operator', {
      // Lambda, and only for this account: no other account's provider may use it.
      assumedBy: new ServicePrincipal('lambda.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('AWSLambdaManagedEC2ResourceOperator')],
      description: "Lambda's role for the instances of managed functions.",
    });
    const policy = 'Policy::arn:<AWS::Partition>:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator';
    accept(role, `IAM4[${policy}]`, "AWS keeps this policy up to date with Lambda's use of instances.");
    return role;
  }

  private securityGroup({ vpc }: VpcProps): SecurityGroup {
    return new SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'Instances of managed functions: all outbound traffic, for tools, and no inbound traffic.',
    });
  }
}
