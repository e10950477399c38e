import * as z from 'zod';

const share = z.number().min(0).max(1);
const tokens = z.int().min(0).max(10_000_000);

/** The ways to make a context smaller. */
const strategies = ['staged', 'compact', 'sliding_window', 'server', 'none'] as const;

/**
 * How a long conversation is made smaller for the model, and when (docs/context.md). People see all of it in any case.
 * Tokens are those of the request; its limit is the window less the reserve.
 */
export const Context = z
  .strictObject({
    /**
     * `staged`: old tool results are read as one line each; then a summary of everything older than the tail is bought, shorter
     * and shorter until it fits. `compact`: the first message, a marker, and the newest messages up to `target`, at most three
     * quarters of the limit. `sliding_window`: the first message, and the newest up to `target`. These two call no model, and
     * estimate a token as four characters. `server`: the model's server edits the context itself (provider `anthropic` only).
     * `none`: nothing is done, and a context that is too long ends the run.
     */
    strategy: z.enum(strategies).default('staged'),
    /**
     * Tokens of request and reply to use, out of what the model takes; 0 = all of it. The model takes `model.window`, else the
     * price list's value, else this value, else 128,000.
     */
    window: tokens.default(0),
    /**
     * Tokens of the window kept free for the reply. `max_tokens`: as many as one reply may have (`model.maxTokens`), and at most
     * half of the window.
     */
    reserve: z.union([z.literal('max_tokens'), tokens]).default('max_tokens'),
    /** Share of the limit above which the next step folds. */
    foldAt: share.default(0.8),
    /** Share of the limit that a fold goes down to, so that the next steps need none. */
    target: share.default(0.5),
    /** Newest tool turns whose results stay whole. */
    keepToolTurns: z.int().min(1).max(1_000).default(3),
    /** The part that stays word for word beside a summary: the smaller of the two. */
    tail: z
      .strictObject({
        /** Tokens of it. */
        tokens: tokens.default(20_000),
        /** Share of the limit. */
        share: share.default(0.4),
      })
      .prefault({}),
    /** The summary of what is left out. */
    summary: z
      .strictObject({
        /** Characters that it may have; 0 = no summary is ever bought, and a list of what was done takes its place. */
        maxChars: z.int().min(0).max(100_000).default(8_000),
        /** The same, in the last stage. */
        leastChars: z.int().min(0).max(100_000).default(1_200),
      })
      .prefault({}),
    /** Share of the limit from which people and operators are warned, once; 0 = off. */
    warnAt: share.default(0),
    /** Share of the limit from which the cooldown does not count. */
    hardAt: share.default(0.98),
    /** Seconds between two folds, unless `hardAt` is passed. */
    cooldownSeconds: z.int().min(0).max(86_400).default(0),
    /** Tokens of the list of what was done, which takes the place of a summary; 0 = none. */
    workLogTokens: z.int().min(0).max(20_000).default(1_500),
    /** After a fold, the model is told once to go on with the work and not to sum up again. */
    recall: z.boolean().default(true),
  })
  .refine(({ target, foldAt }) => target <= foldAt, {
    error: 'must not be above foldAt, or each fold would cause another',
    path: ['target'],
  });
export type Context = z.output<typeof Context>;
