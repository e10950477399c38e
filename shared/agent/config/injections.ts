import * as z from 'zod';

const tokens = (most: number) => z.int().min(0).max(20_000).default(most);

/**
 * The groups of texts that the model is told in one step beside what people say and what its calls return. The most important go
 * first: 0 limits, 1 loops, 2 failures, 3 recitation, 4 exploration.
 */
export const slotNames = ['limits', 'loop', 'failure', 'recitation', 'exploration'] as const;
/** A slot of the injections of a step. */
export type SlotName = (typeof slotNames)[number];

/** Texts of ours beside the conversation, and how much room they have in one step. A token is 4 characters. */
export const Injections = z.strictObject({
  /**
   * Tokens of all such texts in one step; 0 = no budget. Texts that fit are told, then a part of the next one if more than 100
   * tokens are left. The rest is not told, and counts as not said by its guard.
   */
  budgetTokens: z
    .int()
    .min(0)
    .max(20_000)
    .refine(
      (n) => n === 0 || n >= 300,
      'must be 0 (no budget) or at least 300: less would cut the texts on limits',
    )
    .default(1_500),
  /** Tokens that one text may have, whatever is left; 0 = all that is left. Only in effect with a budget. */
  maxTokens: z
    .strictObject({
      /** Texts that the run depends on: limits, wrapping up, and why a reply is sent back. Priority 0. */
      limits: tokens(500),
      /** Advice of loop guards, and of your own guards. Priority 1. */
      loop: tokens(500),
      /** Failures. Priority 2. */
      failure: tokens(500),
      /** The task, and where the run is; and that it is to go on after a fold. Priority 3. */
      recitation: tokens(500),
      /** That a run only explores. Priority 4. */
      exploration: tokens(300),
    })
    .prefault({}),
  /**
   * Steps from one recitation of the task to the next while the context has less than 10,000 tokens, less than 30,000, less than
   * 60,000, and more; the first step has one too. Empty = off (attocode: 10, 7, 5 and 3).
   */
  recitation: z
    .array(z.int().min(1).max(1_000))
    .refine(({ length }) => length === 0 || length === 4, 'must have four numbers or be empty')
    .default([]),
  /**
   * Steps from one list of what the run has inspected (files, listings, searches) to the next, which comes only if something is
   * new; 0 = off (Hamr: 8).
   */
  orientation: z.int().min(0).max(1_000).default(0),
  /**
   * Newest facts of the memory of the person who asks that a run begins with, 120 characters of each, if its agent has the tool
   * `search_memory`; 0 = off, also under `hamr`, since an agent may be meant to use only the tenant's memory. It costs one read of
   * the memory a run.
   */
  memoryIndex: z.int().min(0).max(20).default(0),
  /** The last unresolved failures that the model is reminded of when there is a new one; 0 = off. */
  failures: z.int().min(0).max(30).default(0),
});
export type Injections = z.output<typeof Injections>;
