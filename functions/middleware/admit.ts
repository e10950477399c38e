import type { Admission, Limits } from '../../shared/aws/limits.ts';
import { errorFacts, log } from '../../shared/aws/logger.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from './problem.ts';

/**
 * Asks the tenant's limits for one message to this session, before it is accepted. Refuses with 429 and Retry-After.
 *
 * When the limits themselves cannot be read or written, the message is let in, and the log says so: they are about
 * cost, and a hot or failing item must not become an outage. The store that accepts the message stands beside them,
 * so what keeps them from counting mostly refuses the message too; budgets hold either way.
 */
export async function admit(key: SessionKey, limits: Limits): Promise<void> {
  const message = await openly(limits.message(key.tenant), key);
  if (message !== 'admitted') {
    throw tooMany('Too many messages', 'This tenant has sent its messages of this minute.', message);
  }
  const session = await openly(limits.session(key), key);
  if (session !== 'admitted') {
    throw tooMany('Too many sessions', 'As many sessions of this tenant run as may at once.', session);
  }
}

async function openly(asked: Promise<Admission>, { tenant }: SessionKey): Promise<Admission> {
  try {
    return await asked;
  } catch (error) {
    log('warn', 'a limit could not be asked; the message is let in', { tenant, ...errorFacts(error) });
    return 'admitted';
  }
}

function tooMany(title: string, what: string, { retryAfterSeconds }: Exclude<Admission, string>): Refusal {
  const detail = `${what} Try again in ${retryAfterSeconds} s.`;
  return new Refusal(429, title, { detail }, { 'retry-after': String(retryAfterSeconds) });
}
