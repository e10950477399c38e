import type { Pinned } from '../../session/pinned.ts';
import type { Failure } from '../../session/reply.ts';
import type { Run } from '../../session/session.ts';

/** The decision after a failed model call. */
export type RetryDecision =
  | {
      readonly kind: 'retry';
      readonly delayMs: number;
      /** The retry is allowed only by the time for outages, no longer by the number of tries. */
      readonly spent: boolean;
      /** Ms that are left of the time for outages; not above 0 if only tries decide. */
      readonly leftMs: number;
    }
  | { readonly kind: 'give_up'; readonly message: string };

/** How often and how long the model calls of a step have failed, including this one. */
export interface Failing {
  /** Failures of the same kind as this one: rate limits, or all others. */
  readonly times: number;
  /** Ms since the first of them. */
  readonly lastedMs: number;
  /** Set if the call was not made, and does not count as a try: how often that has happened by now. */
  readonly unasked?: number;
}

/** The counters of a model that has not failed, whichever model failed before. */
export const untried = { retries: 0, rateLimits: 0, unasked: undefined } as const;

/** How often the model of a step failed or its batch was left: all its tries, without those that were only waits. */
export const triesOf = (run: Run): number =>
  run.retries - Math.min(unaskedIn(run)?.times ?? 0, run.retries - run.rateLimits);

/** Belongs to this step: an older version, which does not know the field, may have left the value of an earlier step. */
const unaskedIn = (run: Run): Run['unasked'] => (run.retries > 0 ? run.unasked : undefined);

/**
 * Counts one more failure, of the model or of the tool sources that are asked before it. Each of the two has its full number of
 * tries and its full time.
 */
export function counted(
  run: Run,
  failure: Failure,
  failedAt: number,
  ofSources: boolean,
): { readonly counts: Partial<Run>; readonly failing: Failing } {
  const mayPass = failure.kind === 'retry' && !failure.ourTime;
  const before = ofSources ? run.unlisted?.since : run.failingSince;
  const since = before || (mayPass ? failedAt : 0);
  const lastedMs = since === 0 ? 0 : failedAt - since;
  if (ofSources) {
    const times = (run.unlisted?.times ?? 0) + 1;
    return { counts: { unlisted: { times, since } }, failing: { times, lastedMs } };
  }
  const retries = run.retries + 1;
  const unasked = unaskedIn(run);
  if (failure.kind === 'retry' && failure.unasked && failedAt < (unasked?.since ?? failedAt) + UNASKED_MS) {
    // With the sign all callers wait together, and earlier rate limits of this one are part of that wait.
    const times = (unasked?.times ?? 0) + run.rateLimits + 1;
    const now = { times, since: unasked?.since ?? failedAt };
    return {
      counts: { retries, rateLimits: 0, unasked: now, unlisted: undefined },
      failing: { times: 0, lastedMs: 0, unasked: now.times },
    };
  }
  const rateLimited = failure.kind === 'retry' && failure.rateLimited;
  const rateLimits = run.rateLimits + (rateLimited ? 1 : 0);
  const times = rateLimited ? rateLimits : triesOf(run) + 1 - rateLimits;
  return {
    counts: { retries, rateLimits, failingSince: since, unlisted: undefined, unasked },
    failing: { times, lastedMs },
  };
}

/**
 * Ms for which a model that is not asked counts as no try (`Failure.unasked`): an hour. After that each counts as a rate limit,
 * and the run ends as usual.
 */
const UNASKED_MS = 3_600_000;

/**
 * Callers that were held back together come back spread out: within this many ms after the sign ends, or within as long as it
 * has already stood; twice as long each time, up to the longest.
 */
const SPREAD_MS = { first: 10_000, most: 60_000 };

/**
 * Whether and when the step is tried again: until the number of failures reaches its limit and the time for outlasting an
 * outage is over. The wait is spent in the queue, not in the function, so its length costs nothing; a wait that the server asks
 * for is kept in full. A call that was not made is made when its sign is over.
 *
 * @param random draws a number in [0, 1)
 */
export function decideRetry(
  failure: Failure,
  { times, lastedMs, unasked }: Failing,
  { limits, guardrails: { retry } }: Pick<Pinned, 'limits' | 'guardrails'>,
  random: () => number,
): RetryDecision {
  if (failure.kind !== 'retry') return { kind: 'give_up', message: `${failure.code}: ${failure.message}` };
  const { rateLimited, retryAfterMs } = failure;
  if (unasked !== undefined) {
    const delayMs = Math.round(heldBackMs(retryAfterMs ?? 0, unasked, random));
    return { kind: 'retry', delayMs, spent: false, leftMs: 0 };
  }
  const spent = times >= limits.maxRetries;
  const leftMs = (failure.ourTime ? 0 : limits.outageSeconds * 1000) - lastedMs;
  if (spent && leftMs <= 0) {
    const tries = `tried ${times} times${lastedMs < 1000 ? '' : ` in ${Math.round(lastedMs / 1000)} s`}`;
    return { kind: 'give_up', message: `${failure.code}: ${failure.message} (${tries})` };
  }
  const [seconds, jitter] =
    rateLimited && retryAfterMs === undefined
      ? [retry.rateLimitSeconds * times, retry.rateLimitJitter]
      : [retry.baseSeconds * 2 ** (times - 1), retry.jitter];
  // Spread below the longest wait too: callers that failed together must not come back together.
  const longest = retry.maxSeconds === 0 ? Number.POSITIVE_INFINITY : retry.maxSeconds / jitter[1];
  const ownMs = asLongOnAverage(Math.min(seconds, longest) * between(jitter, random()) * 1000, random);
  // The last try is at the end of the time for outages, not after it.
  const delayMs = Math.max(spent ? Math.min(ownMs, leftMs) : ownMs, retryAfterMs ?? 0);
  return { kind: 'retry', delayMs: Math.round(delayMs), spent, leftMs };
}

function heldBackMs(restMs: number, times: number, random: () => number): number {
  const spread = Math.min(SPREAD_MS.first * 2 ** (times - 1), SPREAD_MS.most);
  return restMs + random() * Math.max(restMs, spread);
}

/** Below this, in ms, the fraction of a second of a wait is waited for in the function (`commit.ts`). */
export const EXACT_BELOW_MS = 2_000;

/**
 * The queue delays by whole seconds, and rounding up would make each wait longer than drawn. A short wait is kept as it is; the
 * last second of a longer one is kept or dropped at random, so that the average is as drawn.
 */
function asLongOnAverage(ms: number, random: () => number): number {
  if (ms < EXACT_BELOW_MS) return ms;
  const whole = Math.floor(ms / 1000);
  return (random() < ms / 1000 - whole ? whole + 1 : whole) * 1000;
}

/** Limits a wait to the run's own time, after which the run ends. */
export function withinTimeout(
  delayMs: number,
  { startedAt, pausedMs }: Run,
  { limits: { timeoutSeconds } }: Pick<Pinned, 'limits'>,
  now: number,
): number {
  if (timeoutSeconds === 0) return delayMs;
  const overAt = startedAt + pausedMs + timeoutSeconds * 1000 + 1;
  return Math.min(delayMs, Math.max(0, overAt - now));
}

const between = ([low, high]: readonly [number, number], random: number): number =>
  low + (high - low) * random;
