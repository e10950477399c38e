import { App, Stack } from 'aws-cdk-lib';
import { Steploop } from 'steploop/cdk';

const app = new App();
const stack = new Stack(app, '{{stack}}');

/** Everything that the definition needs on AWS. Grant its tools what they use: `bucket.grantRead(agents.tools)`. */
new Steploop(stack, 'Agents', { definition: './steploop.config.ts' });
