/**
 * The cost of a step in dollars: `npm run bench:cost`.
 *
 * A run of 20 steps on the embedded stack with the default settings, whose model writes 500 tokens over 8 s into a context of 40
 * KB, with one and with two listeners: about three minutes. Every call and byte is counted on the wire and priced by the table of
 * shared/aws/rates.ts. On managed instances the calls are the same; the cost of a second of a step is not.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { optionsOf, refuse, whole } from '../test/support/command-line.ts';
import { inAssembly } from '../test/support/synthesize.ts';
import { tables } from './cost/page.ts';
import { referenceRun } from './cost/reference-run.ts';

const HELP = `npm run bench:cost -- [options]

  --steps N   steps of the run (20: about three minutes)
  --write     put the tables into docs/cost.md; npm run format formats them
  --smoke     2 steps whose model speaks for 300 ms: whether it works, not what a step costs`;

const option = optionsOf(HELP, {
  steps: { type: 'string', default: '20' },
  write: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
});
if (option.smoke && option.write) refuse('--smoke measures nothing, so it cannot be combined with --write.');
const steps = option.smoke ? 2 : whole('steps', option.steps);
const speaksMs = option.smoke ? 300 : 8_000;
const PAGE = 'docs/cost.md';
const BETWEEN = /(<!-- bench:cost -->\n)[\s\S]*(<!-- \/bench:cost -->)/;

await inAssembly({ compute: 'lambda' }, measure, option.smoke);

async function measure(assembly: string): Promise<void> {
  const runs = [1, 2].map((listeners) => referenceRun({ assembly, steps, listeners, speaksMs }));
  const text = tables(await Promise.all(runs));
  console.log(text);
  if (!option.write) return;
  const page = await readFile(PAGE, 'utf8');
  await writeFile(
    PAGE,
    page.replace(BETWEEN, (_, open, close) => `${open}\n${text}\n\n${close}`),
  );
}
