import type { WorkloadName } from '../workloads.ts';

/**
 * The workload that finds a mutant soonest, by the mutant's name: it is tried first. The others are found by any
 * workload within some dozens of seeds, and so is what has no entry here or is not found by it.
 */
export const foundBy: Readonly<Record<string, WorkloadName>> = {
  'fence: any epoch': 'takeover',
};
