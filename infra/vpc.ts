/** Functions in a VPC: their subnets, their security groups, and the permissions that Lambda needs to connect them. */

import { type SubnetSelection, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import { acceptWildcards } from './accepted.ts';
import type { Config } from './config.ts';
import type { VpcProps } from './props.ts';

/** Runs a function in the VPC of the config; does nothing if there is none, or if it is for other functions. */
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
    // Most of these actions support no resource; AWS's own policy for functions in a VPC says the same.
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

/** The subnets for functions of a VPC. */
export const subnetsOf = ({ subnets }: VpcProps): SubnetSelection =>
  subnets ?? { subnetType: SubnetType.PRIVATE_WITH_EGRESS };
