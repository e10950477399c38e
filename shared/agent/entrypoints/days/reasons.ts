import type { EndedFor } from '../../../contract/days.ts';

const successes: ReadonlySet<string> = new Set<EndedFor>([
  'completed',
  'completed_truncated',
  'completed_empty',
  'cancelled',
  'unknown',
]);

/** Whether a run that ended for this reason failed: it neither completed nor was cancelled, as far as is known. */
export const isFailure = (reason: string): boolean => !successes.has(reason);
