/** `npm run soak:slack`: see docs/promises.md. */

import { optionsOf, whole } from '../../support/command-line.ts';
import { runSoak } from './run.ts';

const values = optionsOf(
  `npm run soak:slack -- [options]

Talks in many threads of an emulated Slack under faults: each must show every message once.

  --threads N    threads (200)
  --channels N   channels that they are in (20)
  --seed N       which faults come when; by default another one each time`,
  {
    threads: { type: 'string', default: '200' },
    channels: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
);
const threads = whole('threads', values.threads);
const channels = whole('channels', values.channels);
const seed = whole('seed', values.seed, 0);

const { wrong, ...figures } = await runSoak({ seed, threads, channels, say: (line) => console.error(line) });
for (const what of wrong) console.error(`WRONG ${what}`);
console.log(
  [...Object.entries(figures), ['wrong', wrong.length]].map(([name, value]) => `${name}=${value}`).join(' '),
);
process.exit(wrong.length === 0 ? 0 : 1);
