import { describe, expect, test } from 'vitest';
import { refused } from '../support/ag-ui.ts';
import { type Mode, modes, simulate } from './simulate.ts';
import { type WorkloadName, workloadNames } from './workloads.ts';

/**
 * Seeds of each workload and mode in the short form, each also checked with the verifier of @ag-ui/client. `npm run sim`
 * takes any number.
 */
const SEEDS = 2;

/** Runs seeds and describes those that failed, with the command that repeats the first one. */
async function failures(workload: WorkloadName, mode: Mode): Promise<string[]> {
  const failed: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violation, told } = await simulate(seed, workload, mode);
    const again = `npm run sim -- --seeds 1 --from ${seed} --workload ${workload} --mode ${mode}`;
    if (violation) failed.push(`${violation.invariant}: ${violation.message}\n${again}`);
    for (const events of told()) {
      const wrong = await refused(events);
      if (wrong) failed.push(`@ag-ui/client refuses what a client was told: ${wrong}\n${again}`);
    }
  }
  return failed;
}

describe.each(modes)('in %s mode', (mode) => {
  test.each(workloadNames)('%s breaks no invariant', async (workload) => {
    expect(await failures(workload, mode)).toEqual([]);
  });
});
