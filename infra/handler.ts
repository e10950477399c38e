/** One Lambda function, with everything that all of them have in common. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { env } from '../shared/contract/env.ts';
import { acceptWildcards } from './accepted.ts';
import { alarm, metricsOf } from './alarm.ts';
import type { Config } from './config.ts';
import { encrypted, keyStatements } from './encryption.ts';
import type { Managed } from './managed.ts';
import { inVpc } from './vpc.ts';

export interface HandlerProps {
  config: Config;
  description: string;
  /** The bundle; its entry is `index.mjs`. */
  code: Code;
  timeout: Duration;
  /** Lambda gives CPU in proportion: 1,769 MB is one core. */
  memorySize: number;
  /** Undefined if it runs on Lambda's own environments. */
  managed?: Managed | undefined;
  environment: Partial<Record<keyof typeof env, string>>;
  /** All its permissions. Writing its own log is added here. */
  may: PolicyStatement[];
  /**
   * True for each function that sends to one of our queues. Lambda counts the hops of SQS → Lambda → SQS chains and drops the
   * message after about 16 unless every function in the loop allows it. Steploop's loop is such a chain: it counts its own steps
   * in HEAD, before it spends anything on them; and a delivery that waits for days goes through its queue hop by hop.
   */
  sendsSteps?: boolean;
  /** Reserved concurrency, which is also its limit. */
  reserved?: number | undefined;
  /** Whether it runs tools or calls models, and so may need access to a VPC. */
  runsTools?: boolean;
  /** The meaning of its failures, if the reader of the alarm needs more than its name. */
  failing?: { says: string; runbook: string };
}

/** A function, its own role, and its own log group with structured lines. */
export class Handler extends Construct {
  readonly fn: LambdaFunction;
  /** The target of queues and addresses: the function, or its published alias. */
  readonly invoked: LambdaFunction | Alias;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: HandlerProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.config.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
      ...encrypted(props.config),
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Role of the function: ${props.description}`,
    });
    logGroup.grantWrite(this.role);
    for (const statement of [...props.may, ...keyStatements(this, props.config, props.may)])
      this.role.addToPolicy(statement);
    const reason =
      'Objects, connections and tokens of Slack workspaces have names that are not known beforehand.';
    acceptWildcards(this.role, props.may, reason);

    const { managed } = props;
    const network = managed ? {} : inVpc(this.role, props.config, props.runsTools ?? false);

    // CloudFormation cannot move an existing function from one compute type to the other, so they have two logical ids.
    this.fn = new LambdaFunction(this, managed ? 'Managed' : 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: props.code,
      handler: 'index.handler',
      timeout: props.timeout,
      memorySize: props.memorySize,
      environment: { ...props.environment, METRICS_NAMESPACE: metricsOf(props.config) },
      role: this.role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      recursiveLoop: props.sendsSteps ? RecursiveLoop.ALLOW : undefined,
      ...(props.reserved !== undefined && { reservedConcurrentExecutions: props.reserved }),
      ...network,
      ...(managed && { currentVersionOptions: managed.version }),
    });
    this.invoked = managed?.take(this.fn, props.memorySize) ?? this.fn;
    this.watch(id, props);
  }

  /**
   * Alarms on errors and throttling of every function. A message that a batch reports as failed comes back, and does not count as
   * an error here.
   */
  private watch(name: string, { failing, managed }: HandlerProps): void {
    const period = Duration.minutes(5);
    const says = `Invocations of the function ${name} crash, run out of memory or time out.`;
    alarm(this, 'Errors', {
      metric: this.fn.metricErrors({ period }),
      atLeast: 3,
      periods: 1,
      ...(failing ?? { says, runbook: 'functions-fail' }),
    });
    alarm(this, 'Throttles', {
      metric: this.fn.metricThrottles({ period }),
      atLeast: 5,
      periods: 3,
      says: managed
        ? `The function ${name} is throttled: its environments are full, and more are started slowly, or not at all.`
        : `The function ${name} is throttled: the account's concurrency, or its own, is used up.`,
      runbook: 'functions-throttled',
    });
  }
}
