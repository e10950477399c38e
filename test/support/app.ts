/**
 * The app of the end-to-end tests: the test agents, with limits that do not get in the way of tests that flood their
 * one tenant.
 */

import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Steploop } from 'steploop/cdk';
import type { Deployment } from './synthesize.ts';

/** Each deployment and its folder. One process makes them all: they have the same functions, which are bundled once. */
const wanted: readonly (Deployment & { readonly folder: string })[] = JSON.parse(String(process.argv[2]));

for (const {
  folder,
  stack: name = 'Steploop',
  compute,
  concurrency,
  lanes,
  tenantKeys = process.env.TEST_TENANT_KEYS === '1',
  encrypted = tenantKeys,
} of wanted) {
  const app = new App({
    ...{ outdir: folder, analyticsReporting: false, treeMetadata: false },
    // It takes half of a synthesis, and only prints warnings.
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, name);
  const managed = (compute ?? process.env.TEST_COMPUTE) === 'managed';
  new Steploop(stack, 'Agents', {
    definition: 'test/support/agents/index.ts',
    console: { clientId: 'console' },
    limits: { messagesPerMinute: 30_000, sessionsAtOnce: 1000 },
    concurrency: { ...(!managed && { agui: 30 }), ...concurrency },
    ...(lanes && { lanes }),
    ...(encrypted && { encryptionKey: new Key(stack, 'Key', { alias: 'agents' }) }),
    ...(tenantKeys && { tenantKeys }),
    ...(managed && { compute: 'managed', vpc: { vpc: someVpc(stack), functions: 'managed' } }),
  });
  app.synth();
}

/** A VPC that is empty here. No call to AWS is made. */
function someVpc(stack: Stack) {
  return Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['us-east-1a'],
    privateSubnetIds: ['subnet-0123456789abcdef0'],
  });
}
