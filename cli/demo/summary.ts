/**
 * The one line that `--once` ends with.
 *
 * @param labels labels of the issue, if the run was about one
 */

import { totalTokens } from '../../local/amounts.ts';
import type { RunResult } from '../../shared/contract/events.ts';

export const summary = (
  { state, reason, steps, toolCalls, totals }: RunResult,
  labels: readonly string[] | undefined,
) =>
  JSON.stringify({
    state,
    reason,
    steps,
    toolCalls,
    tokens: totalTokens(totals),
    costUsd: Number(totals.costUsd.toFixed(6)),
    ...(totals.estimated && { estimated: true }),
    labels,
  });
