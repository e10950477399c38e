/**
 * Counts of a tenant's requests over all environments. An environment counts most of them by itself
 * (`functions/middleware/pace.ts`), and asks here for many at once. Rejects when it cannot count.
 */
export interface RequestCounts {
  /**
   * Takes `units` of those that the tenant has in this second, and says whether there were as many.
   *
   * @param second seconds since 1970
   * @param most the units of the tenant in each second
   */
  take(tenant: string, second: number, units: number, most: number): Promise<boolean>;
}
