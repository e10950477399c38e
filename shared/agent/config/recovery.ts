import * as z from 'zod';

/** Failures that a run may recover from. */
export const scenarios = [
  'empty_response',
  'infinite_loop',
  'bash_failure',
  'malformed_tool_call',
  'context_exhaustion',
] as const;
export type Scenario = (typeof scenarios)[number];

const cap = (most: number) => z.int().min(0).max(100).default(most);

/** How often a failed run goes on instead of ending. */
export const Recovery = z.strictObject({
  /** In a run, of all kinds together; 0 = off. */
  total: cap(5),
  /** In a run, of each kind. */
  per: z
    .strictObject({
      /** A reply without text and calls, after the tries of `empty`. */
      empty_response: cap(2),
      /** A loop guard has ended the run before the model was told often enough. */
      infinite_loop: cap(1),
      /** Commands in a shell have failed too often. */
      bash_failure: cap(2),
      /** A call was written as text, or in an invalid form. */
      malformed_tool_call: cap(2),
      /** A reply was cut by the end of the model's window: the next step folds the context first. */
      context_exhaustion: cap(1),
    })
    .prefault({}),
});

/** Handling of tools that keep failing. */
export const ToolErrors = z.strictObject({
  /** Steps in a row that end in a failed call after which the run ends as `tool_error`; 0 = off (Hamr: 3). */
  max: z.int().min(0).max(100).default(5),
  /** Environment failures in a shell, in a run, after which the model is told to look for another way; 0 = off. */
  shellPivotAfter: z.int().min(0).max(100).default(2),
});
