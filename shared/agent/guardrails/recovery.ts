import * as z from 'zod';
import { defineGuard } from './guard.ts';

/** Failures that a run may recover from (H16). */
export const scenarios = [
  'empty_response',
  'infinite_loop',
  'bash_failure',
  'malformed_tool_call',
  'context_exhaustion',
] as const;
export type Scenario = (typeof scenarios)[number];

const cap = (most: number) => z.int().min(0).max(100).default(most);

/** How often a failed run goes on instead of ending (U10). */
export const Recovery = z.strictObject({
  /** In a run, of all kinds together; 0 = off (H16: 5). */
  total: cap(5),
  /** In a run, of each kind (H16: 2/1/2/2/1). */
  per: z
    .strictObject({
      empty_response: cap(2),
      infinite_loop: cap(1),
      bash_failure: cap(2),
      malformed_tool_call: cap(2),
      /** Not before the context can be made smaller: asking again with the same one is no recovery. */
      context_exhaustion: cap(1),
    })
    .prefault({}),
});

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

/** Holds the count of recoveries, so that it is filled with defaults and starts afresh as every guard's state does. */
export const recoveryGuard = defineGuard<Recovered>({
  name: 'recovery',
  scope: 'run',
  initial: noRecoveries,
  hooks: {},
});
