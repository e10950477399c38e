/** `npm run chaos -- --sessions 200 --kills 500 [--seed N] [--compute managed] [--lanes N]`: see docs/promises.md. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isCompute, synthesizeTests } from '../support/synthesize.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '200' },
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    compute: { type: 'string', default: 'lambda' },
    lanes: { type: 'string', default: '1' },
  },
});
const [sessions, kills, seed] = [values.sessions, values.kills, values.seed].map(Number);
const { compute } = values;
const lanes = Number(values.lanes);
if (!sessions || !kills || seed === undefined || Number.isNaN(seed) || !isCompute(compute)) {
  console.error(
    'usage: npm run chaos -- [--sessions N] [--kills N] [--seed N] [--compute lambda|managed] [--lanes N]',
  );
  process.exit(2);
}

console.error(`seed ${seed}: synthesizing`);
const assembly = await mkdtemp(join(tmpdir(), 'steploop-chaos-'));
await synthesizeTests(assembly, { compute, lanes });
const report = await runChaos({
  sessions,
  kills,
  seed,
  assembly,
  early: true,
  say: (line) => console.error(line),
});
await rm(assembly, { recursive: true, force: true });
for (const what of report.wrong) console.error(`WRONG ${what}`);
const { wrong, ...figures } = report;
console.log(
  [...Object.entries(figures), ['wrong', wrong.length]].map(([name, value]) => `${name}=${value}`).join(' '),
);
process.exit(wrong.length === 0 ? 0 : 1);
