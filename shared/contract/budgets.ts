/** What a tenant may use in a day: `GET /budgets`, `PUT /budgets` (docs/budgets.md). */
import * as z from 'zod';

/** More than anybody uses in a day, and so little that sums of them are exact. */
const MOST = 1_000_000_000_000;

/** `PUT /budgets`: the tenant's own limits for a UTC day, in the place of those it has. For what is left out the deployment's hold; 0 is unlimited. */
export const TenantLimits = z.strictObject({
  /** Input and output tokens; cached ones do not count. */
  tokensPerDay: z.int().min(0).max(MOST).optional(),
  /** USD for models, by the price that is pinned with each session. */
  usdPerDay: z.number().min(0).max(1_000_000).optional(),
  /** Model calls that were answered. */
  stepsPerDay: z.int().min(0).max(MOST).optional(),
});
export type TenantLimits = Readonly<z.infer<typeof TenantLimits>>;

/** What a tenant has used of a day, in the same units: USD are whole millionths. */
export interface TenantUse {
  readonly tokens: number;
  readonly usd: number;
  readonly steps: number;
}

/** What `GET /budgets` and `PUT /budgets` answer. */
export interface BudgetInfo {
  readonly tenant: string;
  /** The UTC day that is counted: `YYYY-MM-DD`. */
  readonly day: string;
  /** ISO 8601: when the next day begins, with nothing used. */
  readonly resetsAt: string;
  /** What holds, a day: the tenant's own, and where it has none, the deployment's. 0 is unlimited. */
  readonly limits: Readonly<Required<TenantLimits>>;
  /** The tenant's own. */
  readonly own: TenantLimits;
  /** Used today, with what is reserved for model calls that go on. Absent where the deployment limits nothing: then nothing is counted, and no limit holds. */
  readonly used?: TenantUse;
}
