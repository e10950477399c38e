/** `npm run soak:webhooks`: see docs/promises.md. */

import { optionsOf, refuse } from '../support/command-line.ts';
import { isRight } from './judge.ts';
import { soakWebhooks } from './webhooks.ts';

const values = optionsOf(
  `npm run soak:webhooks -- [options]

Sends signed deliveries about many issues to the embedded stack while parts of it are killed: none may be lost or doubled.

  --deliveries N     deliveries (1000)
  --issues N         issues that they are about, each with a session (50)
  --senders N        how many senders send at once (40)
  --burst N          the first ones, which come all at once (200); at most the deliveries
  --within SECONDS   time over which the others come (0)
  --again SHARE      share that is sent a second time (0.1)
  --model-ms N       how long a model call takes (1500)
  --seed N           what is killed when; by default another one each time`,
  {
    deliveries: { type: 'string', default: '1000' },
    issues: { type: 'string', default: '50' },
    senders: { type: 'string', default: '40' },
    burst: { type: 'string', default: '200' },
    within: { type: 'string', default: '0' },
    again: { type: 'string', default: '0.1' },
    'model-ms': { type: 'string', default: '1500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
);
const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
const { deliveries = 0, issues = 0, senders = 0, burst = 0, within = 0, again = 0, seed = 0 } = numbers;
const modelMs = numbers['model-ms'] ?? 0;
const wrong = Object.values(numbers).some((n) => Number.isNaN(n) || n < 0);
if (wrong) refuse('Each option is a number of 0 or more.');
if (issues < 1 || senders < 1) refuse('--issues and --senders are 1 or more.');
if (deliveries < burst) refuse('--burst is at most --deliveries.');

console.error(`seed ${seed}: synthesizing`);
const report = await soakWebhooks({
  ...{ deliveries, issues, senders, burst, within, again, seed, modelMs },
  say: (line) => console.error(line),
});
console.log(
  Object.entries(report)
    .map(([name, value]) => `${name}=${value}`)
    .join(' '),
);
process.exitCode = isRight(report) ? 0 : 1;
