import type { Pinned } from '../../session/pinned.ts';
import type { Failure } from '../../session/reply.ts';
import type { Run } from '../../session/session.ts';

/** What to do about a failed model call. */
export type RetryDecision =
  | {
      readonly kind: 'retry';
      readonly delayMs: number;
      /** Only the outage's time allows it, and no longer the number of tries. */
      readonly spent: boolean;
      /** Ms of the outage's time that are left; not above 0 when tries alone decide. */
      readonly leftMs: number;
    }
  | { readonly kind: 'give_up'; readonly message: string };

/** How often and how long the model calls of a step have failed, this one included. */
export interface Failing {
  /** Of this one's kind: rate limits, or all others (A8). */
  readonly times: number;
  /** Ms since the first of them. */
  readonly lastedMs: number;
  /** The call was not made, and counts as no try: how often that has been so by now. */
  readonly unasked?: number;
}

/** A model that has not failed, whichever has before. */
export const untried = { retries: 0, rateLimits: 0, unasked: undefined } as const;

/** How often the model of a step was asked in vain, or its batch left: all its tries but those that were no more than waiting. */
export const triesOf = (run: Run): number =>
  run.retries - Math.min(unaskedIn(run)?.times ?? 0, run.retries - run.rateLimits);

/** Of this step: a version that knows nothing of it may have left there what was of one before. */
const unaskedIn = (run: Run): Run['unasked'] => (run.retries > 0 ? run.unasked : undefined);

/**
 * One more failure, on the account of who has failed: the model, or the tool sources that are asked before it. Each has all
 * of its tries and its time.
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
    // With the sign the wait is everybody's, and what this one was refused before is a part of it.
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
 * Ms for which a model that is not asked counts as no try (`Failure.unasked`): an hour. From then on each counts as a rate limit, and the
 * run ends as after any.
 */
const UNASKED_MS = 3_600_000;

/**
 * Those who were held back together come back one by one: within so many ms after the sign is over, or within as long as it has still
 * stood; twice as many each time, up to the longest.
 */
const SPREAD_MS = { first: 10_000, most: 60_000 };

/**
 * Whether the step is tried again, and when: until as many calls have failed as may, and the time is over for which an
 * outage is outlasted. The wait is spent on the queue, not in the function, so its length costs nothing; the server's own
 * wish is honoured in full (A8, U11). Who was not asked is asked when its sign is over.
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
  // Spread below the longest wait, too: whoever failed together must not come back together.
  const longest = retry.maxSeconds === 0 ? Number.POSITIVE_INFINITY : retry.maxSeconds / jitter[1];
  const ownMs = asLongOnAverage(Math.min(seconds, longest) * between(jitter, random()) * 1000, random);
  // The last try is at the end of the outage's time, not after it.
  const delayMs = Math.max(spent ? Math.min(ownMs, leftMs) : ownMs, retryAfterMs ?? 0);
  return { kind: 'retry', delayMs: Math.round(delayMs), spent, leftMs };
}

function heldBackMs(restMs: number, times: number, random: () => number): number {
  const spread = Math.min(SPREAD_MS.first * 2 ** (times - 1), SPREAD_MS.most);
  return restMs + random() * Math.max(restMs, spread);
}

/** Below this, in ms, what of a wait is no whole second is waited for in the function (`commit.ts`). */
export const EXACT_BELOW_MS = 2_000;

/**
 * The queue delays by whole seconds, and rounded up each wait would be longer than drawn. A short one is kept as it is; of a
 * longer one the last second is kept or left out at random, so that on average it is as long as drawn (U11).
 */
function asLongOnAverage(ms: number, random: () => number): number {
  if (ms < EXACT_BELOW_MS) return ms;
  const whole = Math.floor(ms / 1000);
  return (random() < ms / 1000 - whole ? whole + 1 : whole) * 1000;
}

/** A wait that does not go on after the run's own time is over: then the run ends (A3). */
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
