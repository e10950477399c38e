import * as z from 'zod';

/** Behaviour near the limits and at them. The limits are `limits.tokenBudget` and `costLimitUsd`. */
export const Budget = z.strictObject({
  /** Tokens left at which the run warns that it is near its budget. */
  reserveTokens: z.int().min(0).default(512),
  /** Share of `costLimitUsd` left at which it warns. A higher share warns earlier. */
  reserveCostFraction: z.number().min(0).max(1).default(0.1),
  /** Share of a limit at which the run warns, once; 0 = off. */
  soft: z.number().min(0).max(1).default(0.75),
  /**
   * The tokens that the budget counts. `full`: input and output of each call, as the server bills them, without what it had cached.
   * `incremental`: each token of the conversation once, when the model first reads or writes it, cached or not; what a fold keeps
   * was counted before.
   */
  accounting: z.enum(['full', 'incremental']).default('full'),
  /**
   * The costs that the dollar limit counts: `model` is the cost of model calls; `infrastructure` is the other cost of steps, where it is
   * counted (docs/cost.md). Infrastructure cost is known when a step is committed, so the limit stops the next step.
   */
  include: z
    .array(z.enum(['model', 'infrastructure']))
    .min(1)
    .default(['model']),
  /** Share of the token budget from which the model may only write text, and is told to wrap up; 0 = off. */
  forceTextAt: z.number().min(0).max(1).default(0.8),
  /** `strict` ends runs at the limits; `doomloop_only` only reports that they are passed. */
  enforcement: z.enum(['strict', 'doomloop_only']).default('strict'),
  /** At a limit: end at once, or skip the reply's tools, let the model write one last message, then end. */
  onExceeded: z.enum(['halt', 'wrap_up']).default('halt'),
  /**
   * Once in a run, a limit that is reached is raised by `recoverGrant` instead, if the context can be made a fifth smaller by
   * shortening old results and leaving out what came before the last messages. The context is then made smaller. Never with the
   * `context.strategy` `none`.
   */
  recover: z.boolean().default(false),
  /** Share of the limit that recovery grants. */
  recoverGrant: z.number().min(0).max(1).default(0.1),
  /** Attempts that died after asking the model are charged, as far as they can be estimated (docs/recovery.md). */
  chargeLostAttempts: z.boolean().default(true),
});
