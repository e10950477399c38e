/**
 * The speed of a step compared with a minimal durable step, the floor: `npm run bench:ruler`. On Linux.
 *
 * Sessions of 20 steps run on the embedded stack. The floor makes the calls of a durable step with the same SDK on the same
 * emulators and nothing else (ruler/floor.ts). The model answers at once, with 200 bytes of text and one call of a tool of 1 KB.
 * The floor runs before the stack and after it, and the stack is compared with the mean of both, because a machine's speed
 * varies. Then the service calls of a step are counted on the wire. Read the ratios and the counts: milliseconds are this
 * machine's.
 */

import { optionsOf, refuse } from '../test/support/command-line.ts';
import { inAssembly, isCompute } from '../test/support/synthesize.ts';
import { showCalls } from './ruler/calls.ts';
import type { FloorSpeed } from './ruler/floor.ts';
import { showGrowth, showSpeed } from './ruler/show.ts';
import { type Amount, floorSpeed, growth, stackSpeed } from './ruler/speed.ts';
import { STEPS } from './ruler/workload.ts';

const HELP = `npm run bench:ruler -- [options]

  --only calls|speed   only the service calls of a step, or only times, CPU and memory
  --compute managed    on managed instances, where steps share environments; on Lambda when absent
  --quick              a third of the sessions
  --growth             also what a step takes as its session grows to step 1,000
  --long               also the calls of a step whose model speaks for 8 s
  --smoke              a few sessions: whether it works, not how fast it is`;

const option = optionsOf(HELP, {
  only: { type: 'string', default: '' },
  compute: { type: 'string', default: 'lambda' },
  quick: { type: 'boolean', default: false },
  growth: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
});
const { only, compute, smoke } = option;
if (!['', 'calls', 'speed'].includes(only)) refuse(`--only is calls or speed, not "${only}".`);
if (!isCompute(compute)) refuse(`--compute is lambda or managed, not "${compute}".`);

/** The sessions of a measurement. */
const amount: Amount = smoke
  ? { young: 1, settle: 0, few: 1, crowd: 2, many: 2 }
  : { young: 5, settle: 45, crowd: 50, ...(option.quick ? { few: 4, many: 50 } : { few: 12, many: 150 }) };

async function measure(assembly: string): Promise<void> {
  if (only !== 'calls') {
    const before = await floorSpeed(amount);
    const stack = await stackSpeed(assembly, amount);
    const after = smoke ? before : await floorSpeed(amount);
    showSpeed(stack, meanOf(before, after));
    if (option.growth) showGrowth(await growth(assembly));
    console.log('');
  }
  if (only !== 'speed') await showCalls(assembly, { long: option.long, steps: smoke ? 3 : STEPS });
}

const meanOf = (a: FloorSpeed, b: FloorSpeed): FloorSpeed => ({
  msAStep: (a.msAStep + b.msAStep) / 2,
  stepsASecond: (a.stepsASecond + b.stepsASecond) / 2,
  cpuAStep: (a.cpuAStep + b.cpuAStep) / 2,
  cpuOfAllAStep: (a.cpuOfAllAStep + b.cpuOfAllAStep) / 2,
});

// Linux keeps 15 characters of a thread's name, and the function must be recognizable by them.
await inAssembly({ stack: 'S', compute }, measure, smoke);
