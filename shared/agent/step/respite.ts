import { parentCancelled, parentWaitsFor } from '../guardrails/wrap-up.ts';
import type { Draft } from './conclude.ts';

/** Ends that say what is wrong with a worker or with our own code: no cancel explains them. */
const ours: ReadonlySet<string> = new Set(['crash_loop', 'internal_error']);

/**
 * A run that was to end for its parent, and only got the time to sum up, ends as cancelled whatever that has come to (T7).
 * Its summary stays its result. Pure.
 */
export function endForParent(draft: Draft, now: number): Draft {
  const { ending, session } = draft;
  const ends = ending.kind === 'complete' || (ending.kind === 'halt' && !ours.has(ending.halt.reason));
  if (!ends || parentWaitsFor(session, now) === undefined) return draft;
  return { ...draft, ending: { kind: 'halt', halt: { ...parentCancelled, guard: 'parent_cancel' } } };
}
