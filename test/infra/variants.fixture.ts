import type { Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { SteploopProps } from '../../infra/props.ts';

const env = { account: '111111111111', region: 'eu-central-1' };

/** Deployments that differ in their resources: a name, the props, and the options of the stack. */
export const variants: readonly [string, (scope: Stack) => Partial<SteploopProps>, object][] = [
  ['as it is', () => ({}), {}],
  ['in a stack that knows where it goes', () => ({}), { env }],
  [
    'with everything',
    (scope) => {
      const certificate = Certificate.fromCertificateArn(
        scope,
        'Certificate',
        'arn:aws:acm:eu-central-1:111111111111:certificate/1',
      );
      const zone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', {
        hostedZoneId: 'Z1',
        zoneName: 'a.example',
      });
      return {
        vpc: {
          vpc: Vpc.fromVpcAttributes(scope, 'Vpc', {
            vpcId: 'vpc-0a1b2c3d',
            availabilityZones: ['a'],
            privateSubnetIds: ['subnet-0a1b2c3d'],
          }),
          functions: 'all',
        },
        compute: 'managed',
        domain: {
          http: { name: 'agents.a.example', certificate, zone },
          socket: { name: 'live.a.example', certificate, zone },
        },
        alarms: { topic: Topic.fromTopicArn(scope, 'Topic', 'arn:aws:sns:eu-central-1:111111111111:alarms') },
      };
    },
    { env },
  ],
  [
    'with keys and a web ACL',
    (scope) => ({
      encryptionKey: new Key(scope, 'Key', { enableKeyRotation: true }),
      tenantKeys: true,
      webAcl:
        'arn:aws:wafv2:us-east-1:111111111111:global/webacl/agents/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f',
      definition: 'test/support/agents/index.ts',
    }),
    { env },
  ],
  [
    'with AG-UI behind a distribution',
    () => ({ agui: { access: 'cloudfront' }, definition: 'test/support/agents/index.ts' }),
    {},
  ],
];
