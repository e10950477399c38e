import type { Pinned } from './pin.ts';
import type { Failure } from './reply.ts';

/** What to do about a failed model call. */
export type RetryDecision =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'give_up'; readonly message: string };

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
  { limits, guardrails: { retry } }: Pick<Pinned, 'limits' | 'guardrails'>,
  random: number,
): RetryDecision {
  if (failure.kind !== 'retry') return { kind: 'give_up', message: `${failure.code}: ${failure.message}` };
  if (failed >= limits.maxRetries) {
    return { kind: 'give_up', message: `${failure.code}: ${failure.message} (tried ${failed} times)` };
  }
  const { rateLimited, retryAfterMs } = failure;
  const seconds =
    rateLimited && retryAfterMs === undefined
      ? retry.rateLimitSeconds * failed * between(retry.rateLimitJitter, random)
      : retry.baseSeconds * 2 ** (failed - 1) * between(retry.jitter, random);
  return { kind: 'retry', delayMs: Math.round(Math.max(seconds * 1000, retryAfterMs ?? 0)) };
}

const between = ([low, high]: readonly [number, number], random: number): number =>
  low + (high - low) * random;
