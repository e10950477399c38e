/** The app of the end-to-end tests: their own agents, with limits that a test which floods its one tenant is not about. */

import { App, Stack } from 'aws-cdk-lib';
import { Steploop } from 'steploop/cdk';

const app = new App({ analyticsReporting: false, treeMetadata: false });
new Steploop(new Stack(app, process.env.TEST_STACK ?? 'Steploop'), 'Agents', {
  definition: 'test/support/agents/index.ts',
  limits: { messagesPerMinute: 30_000, sessionsAtOnce: 1000 },
  concurrency: { agui: 30, ...JSON.parse(process.env.TEST_CONCURRENCY ?? '{}') },
});
app.synth();
