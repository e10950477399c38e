import * as z from 'zod';

/** What happens on the way to the limits, and at them (U5). The limits are `limits.tokenBudget` and `costLimitUsd`. */
export const Budget = z.strictObject({
  /** Tokens left at which the run warns that it is near its budget (A16: 512). */
  reserveTokens: z.int().min(0).default(512),
  /** Share of `costLimitUsd` left at which it warns (A16: 0.1). A higher share warns earlier. */
  reserveCostFraction: z.number().min(0).max(1).default(0.1),
  /** Share of a limit at which the run warns, once; 0 = off (T3: 0.75). */
  soft: z.number().min(0).max(1).default(0.75),
  /**
   * What the token budget counts. `full`: input and output of each call, as the server bills them; what it had cached does not count
   * (A9). `incremental`: each token of the conversation once, when the model first reads or writes it, cached or not; what a
   * fold keeps was counted before (T3).
   */
  accounting: z.enum(['full', 'incremental']).default('full'),
  /**
   * What the dollar limit counts: `model` is what calls of models cost, `infrastructure` what steps cost beside them, where that is
   * counted (docs/cost.md). Infrastructure is known when a step is committed, so the next step is refused by it.
   */
  include: z
    .array(z.enum(['model', 'infrastructure']))
    .min(1)
    .default(['model']),
  /** Share of the token budget from which the model may only speak, and is told to wrap up; 0 = off (T3: 0.8). */
  forceTextAt: z.number().min(0).max(1).default(0.8),
  /** `strict` ends runs at the limits; `doomloop_only` only says that they are passed (T3). */
  enforcement: z.enum(['strict', 'doomloop_only']).default('strict'),
  /** At a limit: end at once (A11), or skip the reply's tools, let the model say one last word, then end (T19). */
  onExceeded: z.enum(['halt', 'wrap_up']).default('halt'),
  /**
   * Once in a run, a limit that is reached is raised by `recoverGrant` instead, if the context can be made a fifth smaller by
   * shortening old results and leaving out what came before the last messages: then it is (T5). Never where `context.strategy` is `none`.
   */
  recover: z.boolean().default(false),
  /** Share of the limit that recovery grants (T5: 0.1). */
  recoverGrant: z.number().min(0).max(1).default(0.1),
  /** Attempts that died after asking the model are charged, as far as they can be estimated (docs/recovery.md). */
  chargeLostAttempts: z.boolean().default(true),
});
