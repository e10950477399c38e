/** Functions in a VPC: their subnets, their security groups, and what Lambda needs to connect them. */

import { type SubnetSelection, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import { acceptWildcards } from './accepted.ts';
import type { Config } from './config.ts';
import type { VpcProps } from './props.ts';

/** What makes a function run in the VPC of the config; nothing where there is none, or where it is for others. */
export function inVpc(
  role: Role,
  { vpc }: Config,
  runsTools: boolean,
): Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups'> {
  if (!vpc || vpc.functions === 'managed' || !(runsTools || vpc.functions === 'all')) return {};
  const interfaces = new PolicyStatement({
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    // Most of these know no resource; AWS's own policy for functions in a VPC says the same.
    resources: ['*'],
  });
  role.addToPolicy(interfaces);
  const reason =
    'Lambda connects a function to a VPC with network interfaces whose ids are not known beforehand.';
  acceptWildcards(role, [interfaces], reason);
  return {
    vpc: vpc.vpc,
    vpcSubnets: subnetsOf(vpc),
    ...(vpc.securityGroups && { securityGroups: [...vpc.securityGroups] }),
  };
}

/** The subnets of a VPC that functions run in. */
export const subnetsOf = ({ subnets }: VpcProps): SubnetSelection =>
  subnets ?? { subnetType: SubnetType.PRIVATE_WITH_EGRESS };
