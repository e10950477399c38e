/**
 * The cost of asking another agent: `npm run bench:delegation`.
 *
 * On the embedded stack an agent asks another one, which makes one call and answers. The same two pieces of work are also done
 * apart: an agent that makes the call itself, and the other agent in a session of its own. The difference is what the delegation
 * adds: beginning the child, waiting for it, and its answer. Only calls of the step function count, since only they differ.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { optionsOf, whole } from '../test/support/command-line.ts';
import { type Embedded, embedded } from '../test/support/embedded.ts';
import { callTools, ruleModel, sayText } from '../test/support/rule-model.ts';
import { inAssembly } from '../test/support/synthesize.ts';
import { type Counted, isStep, type Tally, tally } from './support/tally.ts';

const HELP = `npm run bench:delegation -- [options]

  --runs N   runs of each kind, of which the median counts (5)
  --calls    also list the calls of the last run of each kind
  --smoke    one run of each kind: whether it works, not what it costs`;

const option = optionsOf(HELP, {
  runs: { type: 'string', default: '5' },
  calls: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
});
const runs = option.smoke ? 1 : whole('runs', option.runs);
/** The deliveries and retries of a run that has ended, in ms. */
const REST_MS = 1_500;

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[all.length >> 1] ?? 0;

/** The calls to services, and DynamoDB's units, of the steps of one run. */
interface Cost {
  readonly calls: number;
  readonly writes: number;
  readonly reads: number;
}

const sum = (calls: readonly Counted[], unit: 'write' | 'read') =>
  calls.reduce((all, one) => all + one[unit], 0);

await inAssembly({ compute: 'lambda' }, measure, option.smoke);

async function measure(assembly: string): Promise<void> {
  const counts = tally();
  await using model = await ruleModel(({ turn, body }) => {
    if (turn > 0) return sayText('Done.');
    const leads = JSON.stringify(body.system).includes('You lead.');
    return leads ? callTools(['helper', { task: 'Look.' }]) : callTools(['look', { n: 1 }]);
  });
  await using world = await embedded({ assembly, model, wire: counts.wire, tools: () => 'Seen.' });
  const tree = await costOf('leader', world, counts);
  const lone = await costOf('worker', world, counts);
  const child = await costOf('helper', world, counts);
  const row = (name: string, { calls, writes, reads }: Cost) =>
    `| ${name.padEnd(34)} | ${String(calls).padStart(5)} | ${writes.toFixed(1).padStart(11)} | ${reads.toFixed(1).padStart(10)} |`;
  const added = {
    calls: tree.calls - lone.calls - child.calls,
    writes: tree.writes - lone.writes - child.writes,
    reads: tree.reads - lone.reads - child.reads,
  };
  console.log(
    [
      '| steps of                           | calls | write units | read units |',
      '| ---------------------------------- | ----- | ----------- | ---------- |',
      row('an agent that asks another one', tree),
      row('an agent that makes the call', lone),
      row('the other agent, in its session', child),
      row('**a delegation adds**', added),
    ].join('\n'),
  );
}

/** The median of several runs. The first one, which also stores definitions, does not count. */
async function costOf(agent: string, world: Embedded, counts: Tally): Promise<Cost> {
  const costs: Cost[] = [];
  for (let nth = 0; nth <= runs; nth++) {
    counts.begin();
    const { body } = await world.api('POST', '/sessions', { agent, message: 'Go.' });
    await world.becomes(body.sessionId, 'completed', 60);
    await pause(REST_MS);
    const made = counts.counted.filter(({ by }) => isStep(by));
    if (nth > 0) costs.push({ calls: made.length, writes: sum(made, 'write'), reads: sum(made, 'read') });
    if (option.calls && nth === runs)
      for (const { operation, of, write } of made)
        console.log(`${agent}: ${operation} ${of}, ${write} units`);
  }
  return {
    calls: median(costs.map(({ calls }) => calls)),
    writes: median(costs.map(({ writes }) => writes)),
    reads: median(costs.map(({ reads }) => reads)),
  };
}
