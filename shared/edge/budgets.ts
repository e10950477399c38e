import type { TenantLimits, TenantUse } from '../contract/budgets.ts';

/** Tenants' budgets and their use, for people: the items on which steps make reservations. */
export interface BudgetAccounts {
  /** The tenant's own limits. Rejects when the stored limits are malformed. */
  own(tenant: string): Promise<TenantLimits>;
  /** Replaces the tenant's own limits. Steps read them when they next draw on the day. */
  set(tenant: string, own: TenantLimits): Promise<void>;
  /**
   * The amount charged to a UTC day, `YYYY-MM-DD`, including reservations. Its parts are read one by one, so some steps
   * that run meanwhile may be missed.
   */
  used(tenant: string, day: string): Promise<TenantUse>;
}
