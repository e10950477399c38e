/**
 * This repository's own app: `npm run synth`, `cdk synth` and `cdk deploy` run it.
 *
 * The definition is the project's own, or the one of `-c definition=FILE`. Synthesis needs no account and no network.
 */

import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { Steploop } from 'steploop/cdk';

const app = new App({
  analyticsReporting: false,
  treeMetadata: false,
  // The CLI turns asset metadata on; setting it here gives the same template without the CLI.
  postCliContext: { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': false },
  context: { '@aws-cdk/aws-iam:minimizePolicies': true, '@aws-cdk/core:checkSecretUsage': true },
});
const stack = new Stack(app, 'Steploop', {
  description: 'Steploop: an agent on queues. One message is one step.',
  analyticsReporting: false,
  // The CLI checks the bootstrap version as well; the rule would add a parameter to the template.
  synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
});
new Steploop(stack, 'Agents', { definition: app.node.tryGetContext('definition') ?? 'steploop.config.ts' });

app.synth();
