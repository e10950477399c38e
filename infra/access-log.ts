/** The log group of an API's requests. */

import { CfnDeletionPolicy, Fn, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type CfnLogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import { encrypted } from './encryption.ts';

/**
 * API Gateway may write to a log group because a resource policy says so, and an account has few of them, of 5,120 characters each.
 * One statement covers all groups whose names begin with `/aws/vendedlogs/`, so in an account with many APIs other groups may not
 * fit (API Gateway's developer guide, "Set up CloudWatch logging"). The name has the stack's own id: it never changes, and a stack
 * that is created again does not meet the group of the first. A group that had no such name is left behind with its lines, which
 * expire as before.
 */
export function accessLog(scope: Construct, config: Config): LogGroup {
  const ofStack = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  const path = Names.uniqueResourceName(scope, { maxLength: 200, separator: '-' });
  const group = new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/vendedlogs/${path}-${ofStack}`,
    retention: config.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
    ...encrypted(config),
  });
  const resource = group.node.defaultChild as CfnLogGroup;
  resource.cfnOptions.updateReplacePolicy = CfnDeletionPolicy.RETAIN;
  return group;
}
