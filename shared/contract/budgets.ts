/** A tenant's daily limits: `GET /budgets`, `PUT /budgets` (docs/budgets.md). */
import * as z from 'zod';

/** More than any tenant uses in a day, and small enough for exact sums. */
const MOST = 1_000_000_000_000;

/**
 * `PUT /budgets`: replaces the tenant's own limits for a UTC day. Where one is left out, the deployment's holds; 0 is
 * unlimited.
 */
export const TenantLimits = z.strictObject({
  /** Input and output tokens; cached ones do not count. */
  tokensPerDay: z.int().min(0).max(MOST).optional(),
  /** USD for models, at the price that is pinned with each session. */
  usdPerDay: z.number().min(0).max(1_000_000).optional(),
  /** Model calls that got an answer. */
  stepsPerDay: z.int().min(0).max(MOST).optional(),
});
export type TenantLimits = Readonly<z.infer<typeof TenantLimits>>;

/** A tenant's use in a day, in the same units: USD are whole millionths. */
export interface TenantUse {
  readonly tokens: number;
  readonly usd: number;
  readonly steps: number;
}

/** The answer of `GET /budgets` and `PUT /budgets`. */
export interface BudgetInfo {
  readonly tenant: string;
  /** The UTC day that is counted: `YYYY-MM-DD`. */
  readonly day: string;
  /** ISO 8601: when the next day begins, with no use. */
  readonly resetsAt: string;
  /** The limits in effect for a day: the tenant's own, or else the deployment's. 0 is unlimited. */
  readonly limits: Readonly<Required<TenantLimits>>;
  /** The tenant's own limits. */
  readonly own: TenantLimits;
  /**
   * Use today, including reservations for model calls in progress. Absent if the deployment limits nothing: then
   * nothing is counted, and no limit holds.
   */
  readonly used?: TenantUse;
}
