/** Mutants of what calls begin outside, and of its stop (docs/tools.md, "Stopping outside work"). */

import { type Mutant, mutant } from './mutant.ts';

const stopOutside = 'shared/agent/step/batch/stop-outside.ts';
const ended = "outcome === 'ok' || outcome === 'error'";

export const outsideMutants: readonly Mutant[] = [
  mutant(
    'outside: goes on when its run is stopped',
    'shared/agent/tools/execute-or-stop.ts',
    "if (tool?.stop && on.signal.aborted && on.signal.reason === 'cancelled') {",
    "if (tool?.stop && on.signal.reason === 'over') {",
  ),
  mutant(
    'outside: goes on if the outcome is unknown',
    stopOutside,
    ended,
    `${ended} || outcome === 'unknown'`,
  ),
  mutant('outside: goes on if its question is not answered', stopOutside, ended, "outcome !== 'unknown'"),
];
