import * as z from 'zod';

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
      /** A reply without text and calls, after the tries of `empty`. */
      empty_response: cap(2),
      /** A loop guard has ended the run, and it was not told often enough yet. */
      infinite_loop: cap(1),
      /** Commands in a shell have failed too often. */
      bash_failure: cap(2),
      /** A call was written as text, or in a form that is none. */
      malformed_tool_call: cap(2),
      /** A reply was cut by the end of the model's window: the next step folds the context first. */
      context_exhaustion: cap(1),
    })
    .prefault({}),
});

/** What is done about tools that keep failing (H16, A23). */
export const ToolErrors = z.strictObject({
  /** Steps in a row that end in a failed call after which the run ends as `tool_error`; 0 = off (H16: 3; ours 5). */
  max: z.int().min(0).max(100).default(5),
  /** Failures of the environment in a shell, in a run, after which the model is told to look for another way; 0 = off (A23: 2). */
  shellPivotAfter: z.int().min(0).max(100).default(2),
});
