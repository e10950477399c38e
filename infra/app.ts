/**
 * The CDK app: `npm run synth -- [--out DIR] [--agents DIR]`, also what `cdk synth` and `cdk deploy` run.
 *
 * Under the CDK CLI the output folder comes from `CDK_OUTDIR`, and the agents may be given as
 * `-c agents=DIR`. Nothing here asks for an account or for the network. Ends with 2 when the agents are wrong.
 */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { WrongAgents } from './check-agents.ts';
import { synth } from './synth.ts';

const { values: option } = parseArgs({ options: { out: { type: 'string' }, agents: { type: 'string' } } });

try {
  await synth({
    outdir: resolve(option.out ?? process.env.CDK_OUTDIR ?? 'cdk.out'),
    agents: option.agents,
  });
} catch (error) {
  if (!(error instanceof WrongAgents)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
