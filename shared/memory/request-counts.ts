import type { RequestCounts } from '../edge/request-counts.ts';

/** Counts of requests in memory. */
export function createRequestCounts(): RequestCounts {
  const counts = new Map<string, number>();
  return {
    async take(tenant, second, units, most) {
      const key = `${tenant}#${second}`;
      const after = (counts.get(key) ?? 0) + units;
      if (after > most) return false;
      counts.set(key, after);
      return true;
    },
  };
}
