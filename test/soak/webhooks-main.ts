/** `npm run soak:webhooks -- --deliveries 1000 --issues 50 --senders 40 [--burst N] [--within seconds] [--again 0.1] [--model-ms 1500] [--seed N]`. */

import { parseArgs } from 'node:util';
import { isRight } from './judge.ts';
import { soakWebhooks } from './webhooks.ts';

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '1000' },
    issues: { type: 'string', default: '50' },
    senders: { type: 'string', default: '40' },
    burst: { type: 'string', default: '200' },
    within: { type: 'string', default: '0' },
    again: { type: 'string', default: '0.1' },
    'model-ms': { type: 'string', default: '1500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
const { deliveries = 0, issues = 0, senders = 0, burst = 0, within = 0, again = 0, seed = 0 } = numbers;
const modelMs = numbers['model-ms'] ?? 0;
const wrong = Object.values(numbers).some((n) => Number.isNaN(n) || n < 0);
if (wrong || deliveries < burst || issues < 1 || senders < 1) {
  console.error(
    'usage: npm run soak:webhooks -- [--deliveries N] [--issues N] [--senders N] [--burst N, at most the deliveries] [--within seconds] [--again share] [--model-ms N] [--seed N]',
  );
  process.exit(2);
}

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
