/** One Lambda function of ours, with everything that is the same for all of them. */

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
  /** Absent where it runs on Lambda's own environments. */
  managed?: Managed | undefined;
  environment: Partial<Record<keyof typeof env, string>>;
  /** All it may do. Writing its own log is added here. */
  may: PolicyStatement[];
  /**
   * Set on each function that sends to a queue of ours. Lambda counts the hops of SQS → Lambda → SQS chains
   * and drops the message after about 16 unless every function in the loop allows it. Ours is the loop: it
   * counts its own steps in HEAD, before it spends anything on them; and a delivery that waits for days goes through
   * its queue hop by hop.
   */
  sendsSteps?: boolean;
  /** Concurrency that is reserved for it, and that it cannot go beyond. */
  reserved?: number | undefined;
  /** Whether it runs tools or asks models, and so may have to reach what is in a VPC. */
  runsTools?: boolean;
  /** What its failing means, where the reader of the alarm should know more than its name. */
  failing?: { says: string; runbook: string };
}

/** A function, its own role, and its own log group, whose lines are structured. */
export class Handler extends Construct {
  readonly fn: LambdaFunction;
  /** What queues and addresses invoke: the function, or what is published of it. */
  readonly invoked: LambdaFunction | Alias;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: HandlerProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.config.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What may be done by: ${props.description}`,
    });
    logGroup.grantWrite(this.role);
    for (const statement of props.may) this.role.addToPolicy(statement);
    const reason =
      'Objects, connections and tokens of Slack workspaces have names that are not known beforehand.';
    acceptWildcards(this.role, props.may, reason);

    const { managed } = props;
    const network = managed ? {} : inVpc(this.role, props.config, props.runsTools ?? false);

    // Nothing moves a function that is there from the one to the other, so they are two to CloudFormation.
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

  /** No function fails or is held back unheard. What a batch reports as failed comes back, and is no error here. */
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
