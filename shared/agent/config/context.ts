import * as z from 'zod';

const share = z.number().min(0).max(1);
const tokens = z.int().min(0).max(10_000_000);

/** How a context is made smaller. */
const strategies = ['staged', 'compact', 'sliding_window', 'server', 'none'] as const;

/**
 * What the model reads of a long conversation, and when it is made smaller (U8, docs/context.md). People read all of it in any
 * case. Tokens are those of the request; its limit is the window less the reserve.
 */
export const Context = z
  .strictObject({
    /**
     * `staged`: old results of tools are read as one line each, then a summary is bought of what is older than the tail, ever
     * shorter until it fits (H14). `compact`: the first message, a marker, and the newest messages up to `target`, at most three
     * quarters of the limit (A6). `sliding_window`: the first message, and the newest up to `target` (A5). Both ask no model, and
     * measure by a quarter of the characters. `server`: the model's server edits the context itself (provider `anthropic`
     * only). `none`: nothing is done, and what is too long ends the run.
     */
    strategy: z.enum(strategies).default('staged'),
    /**
     * Tokens of request and reply to be used of what the model takes; 0 = all of it. What it takes is `model.window`, else what the
     * list of prices says, else this, else 128,000.
     */
    window: tokens.default(0),
    /**
     * Tokens of the window kept free for the reply (H13: 8,192); `max_tokens`: as many as one reply may have
     * (`model.maxTokens`), and at most half of the window.
     */
    reserve: z.union([z.literal('max_tokens'), tokens]).default('max_tokens'),
    /** Share of the limit above which the next step folds (T28: 0.9; H13: 1; ours 0.8). */
    foldAt: share.default(0.8),
    /** Share of the limit that a fold goes down to, so that the next steps need none (ours 0.5). */
    target: share.default(0.5),
    /** Newest tool turns whose results stay whole (H20: 3). */
    keepToolTurns: z.int().min(1).max(1_000).default(3),
    /** What stays word for word beside a summary: the smaller of the two (H14). */
    tail: z
      .strictObject({
        /** H14: 20,000. */
        tokens: tokens.default(20_000),
        /** Share of the limit (H14: 0.4). */
        share: share.default(0.4),
      })
      .prefault({}),
    /** The summary of what is left out. */
    summary: z
      .strictObject({
        /** Characters that it may have (H14: 8,000); 0 = none is ever bought: a list of what was done stands in its place. */
        maxChars: z.int().min(0).max(100_000).default(8_000),
        /** The same, in the last stage (H14: 1,200). */
        leastChars: z.int().min(0).max(100_000).default(1_200),
      })
      .prefault({}),
    /** Share of the limit from which people and operators are warned, once; 0 = off (T28: 0.8). */
    warnAt: share.default(0),
    /** Share of the limit from which the cooldown does not count (T28: 0.98). */
    hardAt: share.default(0.98),
    /** Seconds between two folds, unless `hardAt` is passed (T28: 60). */
    cooldownSeconds: z.int().min(0).max(86_400).default(0),
    /** Tokens of the list of what was done, which stands in the place of a summary; 0 = none (T28: 1,500). */
    workLogTokens: z.int().min(0).max(20_000).default(1_500),
    /** After a fold the model is told, once, to go on with the work and not to sum up again (T12). */
    recall: z.boolean().default(true),
  })
  .refine(({ target, foldAt }) => target <= foldAt, {
    error: 'must not be above foldAt: a fold would be followed by the next',
    path: ['target'],
  });
export type Context = z.output<typeof Context>;
