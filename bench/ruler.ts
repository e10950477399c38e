/**
 * The speed of a step compared with a minimal durable step, the floor: `npm run bench:ruler`. On Linux.
 *
 * Sessions of 20 steps run on the embedded stack. The floor makes the calls of a durable step with the same SDK on the same
 * emulators and nothing else (ruler/floor.ts). The model answers at once, with 200 bytes of text and one call of a tool of 1 KB.
 * The floor runs before the stack and after it, and the stack is compared with the mean of both, because a machine's speed
 * varies. Then the service calls of a step are counted on the wire. Read the ratios and the counts: milliseconds are this
 * machine's.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isCompute, synthesizeTests } from '../test/support/synthesize.ts';
import { showCalls } from './ruler/calls.ts';
import type { FloorSpeed } from './ruler/floor.ts';
import { showGrowth, showSpeed } from './ruler/show.ts';
import { floorSpeed, growth, stackSpeed } from './ruler/speed.ts';

const HELP = `npm run bench:ruler -- [options]

  --only calls|speed   only the service calls of a step, or only times, CPU and memory
  --compute managed    on managed instances, where steps share environments; on Lambda when absent
  --quick              a third of the sessions
  --growth             also what a step takes as its session grows to step 1,000
  --long               also the calls of a step whose model speaks for 8 s`;

const { values: option } = parseArgs({
  options: {
    only: { type: 'string' },
    compute: { type: 'string', default: 'lambda' },
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function measure(assembly: string): Promise<void> {
  if (option.only !== 'calls') {
    const amount = option.quick ? { few: 4, many: 50 } : { few: 12, many: 150 };
    const before = await floorSpeed(amount);
    const stack = await stackSpeed(assembly, amount);
    const after = await floorSpeed(amount);
    showSpeed(stack, meanOf(before, after));
    if (option.growth) showGrowth(await growth(assembly));
    console.log('');
  }
  if (option.only !== 'speed') await showCalls(assembly, option.long);
}

const meanOf = (a: FloorSpeed, b: FloorSpeed): FloorSpeed => ({
  msAStep: (a.msAStep + b.msAStep) / 2,
  stepsASecond: (a.stepsASecond + b.stepsASecond) / 2,
  cpuAStep: (a.cpuAStep + b.cpuAStep) / 2,
  cpuOfAllAStep: (a.cpuOfAllAStep + b.cpuOfAllAStep) / 2,
});

if (option.help) console.log(HELP);
else {
  const { only = '', compute } = option;
  if (!['', 'calls', 'speed'].includes(only) || !isCompute(compute)) throw new Error(HELP);
  const folder = await mkdtemp(join(tmpdir(), 'steploop-ruler-'));
  try {
    // Linux keeps 15 characters of a thread's name, and the function must be recognizable by them.
    await synthesizeTests(folder, { stack: 'S', compute });
    await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
