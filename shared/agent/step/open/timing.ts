import type { Wake } from '../../../contract/queue.ts';
import { defined } from '../../plain/defined.ts';
import type { Invocation } from '../../ports/queue.ts';
import type { SessionView } from '../../ports/sessions.ts';
import { type StoredTiming, storedTiming, type Timing, timingIn } from '../../session/timing.ts';

/** Ms above which a message did not wait for its commit: a message that is sent this late is a different one. */
const LONGEST_COMMIT_MS = 60_000;

/**
 * The times of a step that are known once it is claimed and loaded. Pure. Clocks of the queue and of several workers may
 * differ, so a negative time counts as zero.
 *
 * @param startedAt when it began to claim: epoch ms
 * @param now epoch ms
 */
export function timingOf(
  { session: { run, batch, totals }, dueAt, attempts }: SessionView,
  { hint }: Wake,
  { message: { sentAt } }: Invocation,
  startedAt: number,
  now: number,
): Timing {
  const goesOn = run !== undefined && !run.ended && !batch;
  // A session that continues is due from the time when its commit began.
  const commitMs = sentAt !== undefined && dueAt !== undefined ? sentAt - dueAt : -1;
  const isCommit = commitMs >= 0 && commitMs < LONGEST_COMMIT_MS;
  const isOwn = goesOn && attempts === 1 && hint?.inbox === undefined && isCommit;
  return {
    startedAt,
    claimMs: Math.max(0, now - startedAt),
    ...(sentAt !== undefined && { queueMs: Math.max(0, startedAt - Math.max(sentAt, dueAt ?? 0)) }),
    ...(isOwn && { commitMs }),
    ...defined({ infraUsd: totals.infraUsd }),
    ...(attempts > 1 && { attempt: attempts }),
    ...(run && !run.ended && run.retries > 0 && { retries: run.retries }),
  };
}

/** Timing that a reply of a dead owner keeps: its own times, and the attempt that found it. */
export function adoptedTiming(
  bought: StoredTiming | undefined,
  { attempt }: Timing,
): { readonly at?: StoredTiming } {
  if (bought === undefined) return {};
  return { at: storedTiming({ ...timingIn(bought), ...defined({ attempt }) }) };
}
