/** The simulator's command: `npm run sim`. */

import { optionsOf, refuse, whole } from '../support/command-line.ts';
import { type Mode, modes, type Simulated, simulate } from './simulate.ts';
import { type WorkloadName, workloadNames } from './workloads.ts';

const values = optionsOf(
  `npm run sim -- [options]

Simulates the real core under faults, and stops at the first violation of an invariant.

  --seeds N            runs, each with its own faults (20000)
  --from N             the first seed (1)
  --workload W[,W]     only these: ${workloadNames.join(', ')}
  --mode MODE          only this: ${modes.join(' or ')}
  --most N             violations after which it stops (1)
  --trace              show the last events of every seed`,
  {
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
    workload: { type: 'string' },
    mode: { type: 'string' },
    most: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
);
const from = whole('from', values.from, 0);
const seeds = whole('seeds', values.seeds);
const most = whole('most', values.most);
const asked = values.workload?.split(',') ?? workloadNames;
const chosen = workloadNames.filter((name) => asked.includes(name));
const chosenModes = modes.filter((mode) => !values.mode || mode === values.mode);
const unknown = asked.find((name) => !workloadNames.some((known) => known === name));
if (unknown !== undefined) refuse(`There is no workload ${unknown}: ${workloadNames.join(', ')}.`);
if (chosenModes.length === 0) refuse(`--mode is ${modes.join(' or ')}, not "${values.mode}".`);

const began = performance.now();
const total = { done: 0, steps: 0, calls: 0, faults: 0, rested: 0, violations: 0 };
for (let seed = from; seed < from + seeds && total.violations < most; seed++) {
  const result = await simulate(seed, workloadOf(seed), modeOf(seed));
  total.done += 1;
  total.steps += result.steps;
  total.calls += result.calls;
  total.faults += result.faults;
  if (result.rested) total.rested += 1;
  if (result.violation || values.trace) report(result);
  if (result.violation) total.violations += 1;
  if (total.done % 1000 === 0) console.error(progress());
}
console.error(progress());
const { done, steps, calls, faults, rested, violations } = total;
console.log(
  `calls=${calls} rested=${rested} seeds=${done} steps=${steps} faults=${faults} violations=${violations}`,
);
process.exit(violations > 0 ? 1 : 0);

/** Seeds take turns through workloads and modes, so that any range covers all of them. */
function workloadOf(seed: number): WorkloadName {
  return chosen[seed % chosen.length] ?? 'mixed';
}

function modeOf(seed: number): Mode {
  return chosenModes[Math.floor(seed / chosen.length) % chosenModes.length] ?? 'safety';
}

function progress(): string {
  const minutes = (performance.now() - began) / 60_000;
  const rate = (n: number) => Math.round(n / minutes).toLocaleString('en');
  return `${total.done} seeds, ${total.steps} steps (${rate(total.done)} seeds and ${rate(total.steps)} steps a minute)`;
}

function report({ seed, workload, mode, violation, profile, lines, hash }: Simulated): void {
  console.error(
    [
      '',
      violation ? `VIOLATION of "${violation.invariant}"` : 'no violation',
      `  ${violation?.message ?? ''}`,
      `seed ${seed}, workload ${workload}, mode ${mode}, trace ${hash}`,
      `faults: ${profile}`,
      'last events (s since the start, who, what):',
      ...lines().map((line) => `  ${line}`),
      `again: npm run sim -- --seeds 1 --from ${seed} --workload ${workload} --mode ${mode}`,
      '',
    ].join('\n'),
  );
}
