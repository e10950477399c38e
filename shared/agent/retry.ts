import type { Limits } from './define.ts';
import type { Failure } from './reply.ts';

/** What to do about a failed model call. */
export type RetryDecision =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'give_up'; readonly message: string };

/** Absent keys are those of sessions pinned before there were any. */
type RetryLimits = Pick<Limits, 'maxRetries'> & Partial<Pick<Limits, 'retryBaseMs' | 'retryJitter'>>;

/** First wait after a rate limit without a retry-after, in ms (A8, newer source: 30 s × n). */
const RATE_LIMIT_MS = 30_000;

/**
 * Whether the step is tried again, and when. The wait is spent on the queue, not in the function, so its
 * length costs nothing; the server's own wish is honoured in full (A8, U11).
 *
 * @param failed calls of this step that have failed, this one included: of its kind, rate limits or others (A8)
 * @param random a number in [0, 1)
 */
export function decideRetry(
  failure: Failure,
  failed: number,
  { maxRetries, retryBaseMs = 1_000, retryJitter = 0.5 }: RetryLimits,
  random: number,
): RetryDecision {
  if (failure.kind !== 'retry') return { kind: 'give_up', message: `${failure.code}: ${failure.message}` };
  if (failed >= maxRetries) {
    return { kind: 'give_up', message: `${failure.code}: ${failure.message} (tried ${failed} times)` };
  }
  const backoff =
    failure.rateLimited && failure.retryAfterMs === undefined
      ? RATE_LIMIT_MS * failed * (0.8 + 0.4 * random)
      : retryBaseMs * 2 ** (failed - 1) * (1 - retryJitter + 2 * retryJitter * random);
  return { kind: 'retry', delayMs: Math.round(Math.max(backoff, failure.retryAfterMs ?? 0)) };
}
