/** `npm run soak:slack -- --threads 200 --channels 20 [--seed N]`: see docs/promises.md. */

import { parseArgs } from 'node:util';
import { runSoak } from './run.ts';

const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '200' },
    channels: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [threads, channels, seed] = [values.threads, values.channels, values.seed].map(Number);
if (!threads || !channels || seed === undefined || Number.isNaN(seed)) {
  console.error('usage: npm run soak:slack -- [--threads N] [--channels N] [--seed N]');
  process.exit(2);
}

const { wrong, ...figures } = await runSoak({ seed, threads, channels, say: (line) => console.error(line) });
for (const what of wrong) console.error(`WRONG ${what}`);
console.log(
  [...Object.entries(figures), ['wrong', wrong.length]].map(([name, value]) => `${name}=${value}`).join(' '),
);
process.exit(wrong.length === 0 ? 0 : 1);
