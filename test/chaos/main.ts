/** `npm run chaos`: see docs/promises.md. */

import { optionsOf, refuse, whole } from '../support/command-line.ts';
import { inAssembly, isCompute } from '../support/synthesize.ts';
import { runChaos } from './run.ts';

const values = optionsOf(
  `npm run chaos -- [options]

Runs sessions on the embedded stack, kills parts of it at random, and checks what is stored when all have ended.

  --sessions N        sessions (200)
  --kills N           kills (500)
  --seed N            what is killed when; by default another one each time
  --compute managed   on managed instances, where steps share environments (lambda)
  --lanes N           step queues (1)`,
  {
    sessions: { type: 'string', default: '200' },
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    compute: { type: 'string', default: 'lambda' },
    lanes: { type: 'string', default: '1' },
  },
);
const { compute } = values;
if (!isCompute(compute)) refuse(`--compute is lambda or managed, not "${compute}".`);
const sessions = whole('sessions', values.sessions);
const kills = whole('kills', values.kills);
const seed = whole('seed', values.seed, 0);
const lanes = whole('lanes', values.lanes);
const say = (line: string) => console.error(line);

say(`seed ${seed}: synthesizing`);
const report = await inAssembly({ compute, lanes }, (assembly) =>
  runChaos({ sessions, kills, seed, assembly, early: true, say }),
);
for (const what of report.wrong) console.error(`WRONG ${what}`);
const { wrong, ...figures } = report;
console.log(
  [...Object.entries(figures), ['wrong', wrong.length]].map(([name, value]) => `${name}=${value}`).join(' '),
);
process.exit(wrong.length === 0 ? 0 : 1);
