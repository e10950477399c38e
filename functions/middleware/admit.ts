import type { SessionKey } from '../../shared/contract/session.ts';
import type { Limits, TryLater } from '../../shared/edge/limits.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { Refusal } from './problem.ts';

/** An admitted message, which holds a place among the tenant's running sessions. */
export interface Admitted {
  /** Releases the place if nothing has started after all: a duplicate message starts nothing. */
  giveBack(): Promise<void>;
}

/**
 * Checks the tenant's limits for one message to this session before it is accepted, and runs `start` if they allow it. Refuses
 * with 429 and Retry-After. If `start` refuses, the place is released.
 *
 * If the limits themselves cannot be read or written, the message is admitted, and the log says so: limits are about cost, and a
 * hot or failing item must not become an outage. The store that accepts the message is the same, so an outage that stops the
 * count usually stops the message too. Budgets hold either way.
 */
export async function admitted<T>(
  key: SessionKey,
  limits: Limits,
  start: (place: Admitted) => Promise<T>,
): Promise<T> {
  const message = await openly(limits.message(key.tenant), key);
  if (message && message !== 'admitted') {
    throw tooMany('Too many messages', 'This tenant has reached its limit of messages per minute.', message);
  }
  const place = await openly(limits.session(key), key);
  if (place && 'retryAfterSeconds' in place) {
    throw tooMany('Too many sessions', 'This tenant has reached its limit of running sessions.', place);
  }
  const giveBack = async () => {
    if (place) await openly(limits.giveBack(key, place), key);
  };
  try {
    return await start({ giveBack });
  } catch (error) {
    // After any other error it is unknown whether something has started.
    if (error instanceof Refusal) await giveBack();
    throw error;
  }
}

/** The answer of a limit; undefined if it cannot be read, which is logged. */
export async function openly<T>(
  asked: Promise<T>,
  { tenant }: Pick<SessionKey, 'tenant'>,
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    log('warn', 'a limit could not be checked; the message is admitted', { tenant, ...errorFacts(error) });
    return undefined;
  }
}

/** Refuses with 429, and says when to try again. */
export function tooMany(title: string, what: string, { retryAfterSeconds }: TryLater): Refusal {
  const detail = `${what} Try again in ${retryAfterSeconds} s.`;
  return new Refusal(429, title, { detail }, { 'retry-after': String(retryAfterSeconds) });
}
