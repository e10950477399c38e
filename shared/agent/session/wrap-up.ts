import type { ParentCall } from './parent.ts';
import { firstSlotOf } from './run-ids.ts';
import type { Session } from './session.ts';

/** Time in ms that a session has for the summary of its work, at most (docs/children.md#stopping). */
export const MOST_WRAP_UP_MS = 120_000;
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

/** Whether a session works on the task that it was begun for: people who write to it afterwards have no such limits. */
export const isAtTask = ({ run }: Pick<Session, 'run'>): boolean =>
  !run || (!run.ended && firstSlotOf(run.id) === 0);

/** Epoch ms from which on a session sums up. Undefined if nothing waits for its answer. */
export const wrapUpAtOf = (session: Pick<Session, 'parent' | 'run'>): number | undefined =>
  isAtTask(session) ? session.parent?.wrapUpAt : undefined;
