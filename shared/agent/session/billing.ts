import type { Usage } from '../../contract/session.ts';
import type { ServingMode, Unpriced } from '../../contract/unpriced.ts';

/** The part of a call's bill that is not in its {@link Usage}, as the server tells it. Providers fill it in; `billOf` reads it. */
export interface Billing {
  /** How the call was served, where that changes its price. */
  readonly modes?: readonly ServingMode[];
  /** USD that the server itself says the call has cost. */
  readonly usd?: number;
  /**
   * Tokens of calls that the server made on the side, such as a compaction: they are billed, and the reply's usage does not
   * include them.
   */
  readonly aside?: Usage;
  /**
   * The usage of each time that the server asked its model for this reply, where it did so several times to run tools of its own.
   * The reply's usage is their sum.
   */
  readonly passes?: readonly Usage[];
  /** Services that were billed without a figure that says how much. */
  readonly unpriced?: readonly Unpriced[];
}
