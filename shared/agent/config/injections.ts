import * as z from 'zod';

const tokens = (most: number) => z.int().min(0).max(20_000).default(most);

/**
 * T13: room for all that the model is told in one step beside what people say and what its calls return. What is more
 * important goes first: 0 limits, 1 loops, 2 failures, 3 recitation, 4 exploration.
 */
export const slotNames = ['limits', 'loop', 'failure', 'recitation', 'exploration'] as const;
/** A slot of the injections of a step. */
export type SlotName = (typeof slotNames)[number];

/** T10 to T13: texts of ours beside the conversation, and how much of them a step may have. A token is 4 characters. */
export const Injections = z.strictObject({
  /**
   * Tokens of all such texts in one step; 0 = no budget. What fits is told; of the next one a part, if there are more than 100
   * tokens left; the rest is not told, and its guard has not said it (T13: 1,500).
   */
  budgetTokens: z
    .int()
    .min(0)
    .max(20_000)
    .refine(
      (n) => n === 0 || n >= 300,
      'must be 0 (no budget) or at least 300: less would cut the words for limits',
    )
    .default(1_500),
  /** Tokens that one text may have, whatever is left; 0 = all that is left. They count where there is a budget. */
  maxTokens: z
    .strictObject({
      /** What the run hangs on: limits, wrapping up, and why a reply is sent back. Priority 0. */
      limits: tokens(500),
      /** What loop guards advise, and guards of your own. Priority 1. */
      loop: tokens(500),
      /** What has failed. Priority 2. */
      failure: tokens(500),
      /** What was asked for, and where the run is; and that it is to go on after a fold. Priority 3 (T10: 500). */
      recitation: tokens(500),
      /** That a run only looks around. Priority 4. */
      exploration: tokens(300),
    })
    .prefault({}),
  /**
   * Steps from one recitation of the task to the next while the context has less than 10,000 tokens, less than 30,000, less than 60,000, and
   * more; the first step has one too. None = off (T10: 10, 7, 5 and 3).
   */
  recitation: z
    .array(z.int().min(1).max(1_000))
    .refine(({ length }) => length === 0 || length === 4, 'must have four numbers, or none')
    .default([]),
  /** Failures that nothing has made good, the last ones, of which the model is reminded when there is a new one; 0 = off (T11: 5). */
  failures: z.int().min(0).max(30).default(0),
});
export type Injections = z.output<typeof Injections>;
