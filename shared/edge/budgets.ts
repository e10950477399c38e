import type { TenantLimits, TenantUse } from '../contract/budgets.ts';

/** What tenants may use and have used, for people: the items that steps reserve on. */
export interface BudgetAccounts {
  /** The tenant's own limits. Rejects when what is stored makes no sense. */
  own(tenant: string): Promise<TenantLimits>;
  /** Puts others in the place of those it has. Steps read them when they next draw on the day. */
  set(tenant: string, own: TenantLimits): Promise<void>;
  /** What a UTC day, `YYYY-MM-DD`, has been charged, with what is reserved. Its parts are read one by one: of steps that go on meanwhile some may be missed. */
  used(tenant: string, day: string): Promise<TenantUse>;
}
