import type { SessionKey } from '../../contract/session.ts';
import { extrasOf } from '../ports/inbox.ts';
import type { Ports } from '../ports/ports.ts';
import { type Accepted, accept } from './accept.ts';

/**
 * Accepts again an event that was first accepted under this id, for senders whose message may differ when they send it again:
 * its files have changed, or are no longer available. The first version stands; the process that stored it may have died before
 * it told the session.
 *
 * @returns undefined if nothing is known under this id
 */
export async function acceptAgain(
  key: SessionKey,
  eventId: string,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'listings'>,
): Promise<Accepted | undefined> {
  const [kept] = await io.inbox.read(key, [eventId]);
  if (!kept) return undefined;
  if (kept.done) return 'duplicate';
  return accept(key, { eventId, text: kept.text, ...extrasOf(kept), whenFull: 'keep' }, io);
}
