import type { SessionKey } from '../../shared/contract/session.ts';
import type { Limits, TryLater } from '../../shared/edge/limits.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { Refusal } from './problem.ts';

/** What was let in holds a place among the tenant's running sessions. */
export interface Admitted {
  /** When nothing has started after all: a message that came twice starts nothing. */
  giveBack(): Promise<void>;
}

/**
 * Asks the tenant's limits for one message to this session, before it is accepted, and starts what it starts. Refuses with
 * 429 and Retry-After. When `start` refuses, the place is given back.
 *
 * When the limits themselves cannot be read or written, the message is let in, and the log says so: they are about
 * cost, and a hot or failing item must not become an outage. The store that accepts the message stands beside them,
 * so what keeps them from counting mostly refuses the message too; budgets hold either way.
 */
export async function admitted<T>(
  key: SessionKey,
  limits: Limits,
  start: (place: Admitted) => Promise<T>,
): Promise<T> {
  const message = await openly(limits.message(key.tenant), key);
  if (message && message !== 'admitted') {
    throw tooMany('Too many messages', 'This tenant has sent its messages of this minute.', message);
  }
  const place = await openly(limits.session(key), key);
  if (place && 'retryAfterSeconds' in place) {
    throw tooMany('Too many sessions', 'As many sessions of this tenant run as may at once.', place);
  }
  const giveBack = async () => {
    if (place) await openly(limits.giveBack(key, place), key);
  };
  try {
    return await start({ giveBack });
  } catch (error) {
    // After any other error nobody knows what has started.
    if (error instanceof Refusal) await giveBack();
    throw error;
  }
}

/** What a limit answers; undefined when it cannot be asked, and the log says so. */
export async function openly<T>(
  asked: Promise<T>,
  { tenant }: Pick<SessionKey, 'tenant'>,
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    log('warn', 'a limit could not be asked; the message is let in', { tenant, ...errorFacts(error) });
    return undefined;
  }
}

/** Refuses with 429, and says when to ask again. */
export function tooMany(title: string, what: string, { retryAfterSeconds }: TryLater): Refusal {
  const detail = `${what} Try again in ${retryAfterSeconds} s.`;
  return new Refusal(429, title, { detail }, { 'retry-after': String(retryAfterSeconds) });
}
