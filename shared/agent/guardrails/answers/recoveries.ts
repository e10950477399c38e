import type { Scenario } from '../../config/recovery.ts';
import { builtIn } from '../guard-codes.ts';

/** Recoveries of the run so far: the slice `recovery` of the guards' state. */
export type Recovered = { readonly total: number } & { readonly [S in Scenario]: number };

export const noRecoveries: Recovered = {
  total: 0,
  empty_response: 0,
  infinite_loop: 0,
  bash_failure: 0,
  malformed_tool_call: 0,
  context_exhaustion: 0,
};

/** Holds the count of recoveries, so that it gets defaults and resets like every guard's state. */
export const recoveryGuard = builtIn<'recovery', Recovered>({
  name: 'recovery',
  scope: 'run',
  initial: noRecoveries,
  hooks: {},
});
