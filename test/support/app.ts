/** The app of the end-to-end tests: their own agents, with limits that a test which floods its one tenant is not about. */

import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Steploop } from 'steploop/cdk';

const app = new App({ analyticsReporting: false, treeMetadata: false });
const stack = new Stack(app, process.env.TEST_STACK ?? 'Steploop');
const managed = process.env.TEST_COMPUTE === 'managed';
new Steploop(stack, 'Agents', {
  definition: 'test/support/agents/index.ts',
  console: { clientId: 'console' },
  limits: { messagesPerMinute: 30_000, sessionsAtOnce: 1000 },
  concurrency: { ...(!managed && { agui: 30 }), ...JSON.parse(process.env.TEST_CONCURRENCY ?? '{}') },
  ...(process.env.TEST_LANES && { lanes: JSON.parse(process.env.TEST_LANES) }),
  ...(managed && { compute: 'managed', vpc: { vpc: someVpc(), functions: 'managed' } }),
});
app.synth();

/** Nothing is in it here, and nothing is asked of AWS. */
function someVpc() {
  return Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['us-east-1a'],
    privateSubnetIds: ['subnet-0123456789abcdef0'],
  });
}
