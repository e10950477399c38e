import type { ParentCall } from '../../session/parent.ts';
import { MOST_WRAP_UP_MS } from '../../session/wrap-up.ts';

/** The part of a child's time that is left for its summary: a tenth. */
const PART = 10;

/**
 * The times of a session that is begun now.
 *
 * @param ms how long its answer counts
 * @param above the call that its parent works for: its answer must come in time for the parent's own summary
 */
export function timesOfChild(
  ms: number,
  now: number,
  above: ParentCall | undefined,
): { readonly until: number; readonly wrapUpAt: number } {
  const inTime = above?.wrapUpAt ?? Number.POSITIVE_INFINITY;
  const until = inTime > now ? Math.min(now + ms, inTime) : now + ms;
  return { until, wrapUpAt: until - Math.min(MOST_WRAP_UP_MS, Math.floor((until - now) / PART)) };
}
