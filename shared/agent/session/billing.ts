import type { Usage } from '../../contract/session.ts';
import type { ServingMode, Unpriced } from '../../contract/unpriced.ts';

/** The part of a call's bill that is not in its {@link Usage}, as the server reports it. Providers fill it in; `billOf` reads it. */
export interface Billing {
  /** How the call was served, if that changes its price. */
  readonly modes?: readonly ServingMode[];
  /** USD that the call has cost, as the server itself reports. */
  readonly usd?: number;
  /**
   * Tokens of additional calls that the server made, such as a compaction: they are billed, and the reply's usage does not
   * include them.
   */
  readonly aside?: Usage;
  /**
   * The usage of each call that the server made to its model for this reply, if it made several to run tools of its own. The
   * reply's usage is their sum.
   */
  readonly passes?: readonly Usage[];
  /** Services that were billed without a quantity. */
  readonly unpriced?: readonly Unpriced[];
}
