/**
 * The cost of a step in dollars: `npm run bench:cost [-- --steps 20] [-- --write]`.
 *
 * A run of 20 steps on the embedded stack with the default settings, whose model writes 500 tokens over 8 s into a context of 40
 * KB, with one and with two listeners: about three minutes. Every call and byte is counted on the wire and priced by the table of
 * shared/aws/rates.ts. On managed instances the calls are the same; the cost of a second of a step is not. `--write` puts the
 * tables into docs/cost.md; `npm run format` formats them.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { synthesizeTests } from '../test/support/synthesize.ts';
import { tables } from './cost/page.ts';
import { referenceRun } from './cost/reference-run.ts';

const { values: option } = parseArgs({
  options: { steps: { type: 'string', default: '20' }, write: { type: 'boolean', default: false } },
});
const PAGE = 'docs/cost.md';
const BETWEEN = /(<!-- bench:cost -->\n)[\s\S]*(<!-- \/bench:cost -->)/;

const folder = await mkdtemp(join(tmpdir(), 'steploop-cost-'));
try {
  await synthesizeTests(folder, { compute: 'lambda' });
  const steps = Number(option.steps);
  const text = tables(await Promise.all([1, 2].map((listeners) => referenceRun(folder, steps, listeners))));
  console.log(text);
  if (option.write) {
    const page = await readFile(PAGE, 'utf8');
    await writeFile(
      PAGE,
      page.replace(BETWEEN, (_, open, close) => `${open}\n${text}\n\n${close}`),
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
