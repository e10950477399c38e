/**
 * How many sessions can run at once, and what limits them: `npm run bench:scale`.
 *
 * A sample of the sessions of one hour runs in virtual time, with the real step, the real entry point and the real adapters for
 * AWS, over a table in memory that counts units by key. Its rates are scaled up to the whole hour. The parts that grow with the
 * number of sessions, a tenant's limits and budget, run at their full rate. Each number is shown next to its limit. It fails if a
 * key, an index partition or a queue mapping would exceed a limit that cannot be raised, with the given number of lanes; limits
 * that AWS raises on request are only marked.
 */

import { optionsOf, refuse, whole } from '../test/support/command-line.ts';
import { benchScale } from './scale/bench.ts';
import { burst, isTaken, showBurst } from './scale/burst.ts';
import type { Layout } from './scale/judge.ts';
import { benchLimited, isSlowed } from './scale/limited.ts';
import type { Load } from './scale/load.ts';
import { realSessions, showReal } from './scale/real.ts';
import { showCrowds, showLoad, showVerdict } from './scale/show.ts';
import { showSwept, sweptSessions } from './scale/sweep.ts';

const HELP = `npm run bench:scale -- [options]

  --sessions N   sessions that begin in an hour (1000000)
  --sample N     of them that run (20000): about 3 ms of CPU a step
  --lanes N      step queues, each with a mapping (32)
  --budget       every tenant has a day's budget
  --seconds N    of a step: nine tenths the model speaks (4)

  --limited [--sessions 1000] [--requests 50]
                 instead: sessions that begin at once, of a model that takes so many requests in ten seconds

  --sweep [--sessions 10000]
                 instead: one sweep of sessions that are all overdue, on the emulators of DynamoDB and SQS

  --real [--sessions 2000] [--steps 3]
                 instead: sessions at once on the embedded stack with managed compute, on Linux

  --smoke        a few sessions, also with the options above: whether it works, not what it bears`;

const option = optionsOf(HELP, {
  sessions: { type: 'string' },
  steps: { type: 'string', default: '3' },
  real: { type: 'boolean', default: false },
  sweep: { type: 'boolean', default: false },
  sample: { type: 'string' },
  lanes: { type: 'string', default: '32' },
  seconds: { type: 'string', default: '4' },
  budget: { type: 'boolean', default: false },
  limited: { type: 'boolean', default: false },
  requests: { type: 'string', default: '50' },
  smoke: { type: 'boolean', default: false },
});
const most = option.limited ? 1_000 : option.real ? 2_000 : option.sweep ? 10_000 : 1_000_000;
const few = option.limited || option.real || option.sweep ? 10 : 10_000;
const sessions = whole('sessions', option.sessions ?? String(option.smoke ? few : most));
const sample = whole('sample', option.sample ?? (option.smoke ? '20' : '20000'));
const lanes = whole('lanes', option.lanes);
const seconds = whole('seconds', option.seconds);
const steps = whole('steps', option.steps);
const requests = whole('requests', option.requests);
const say = (line: string) => console.error(line);

if (option.sweep) {
  const swept = await sweptSessions(sessions);
  showSwept(swept);
  if (swept.woken < swept.sessions) process.exitCode = 1;
} else if (option.real) {
  const real = await realSessions({ sessions, steps, isSmoke: option.smoke, say });
  showReal(real);
  if (real.completed < real.sessions) process.exitCode = 1;
} else if (option.limited) {
  const crowds = await benchLimited({ sessions, requests });
  showCrowds(sessions, crowds);
  if (!crowds.every(isSlowed)) process.exitCode = 1;
} else {
  if (sample > sessions) refuse('--sample is at most --sessions.');
  const load: Load = { sessions, steps: 20, modelMs: 900 * seconds, toolMs: 100 * seconds, watched: 0.1 };
  const layouts: Layout[] = [1, 1000].flatMap((tenants) => [1, lanes].map((n) => ({ tenants, lanes: n })));
  showLoad(load, sample);
  const verdicts = await benchScale({ load, sample, layouts, budget: option.budget, say });
  for (const [layout, verdict] of verdicts) showVerdict(load, layout, verdict);
  const deliveries = option.smoke ? 200 : 10_000;
  say(`${deliveries.toLocaleString('en')} webhooks in ten seconds`);
  const taken = await burst({ deliveries, seconds: 10, sessions: 50, againEach: 10 });
  showBurst(taken);
  const asked = verdicts.filter(([layout]) => layout.lanes === lanes);
  if (!isTaken(taken) || !asked.every(([, { holds }]) => holds)) process.exitCode = 1;
}
