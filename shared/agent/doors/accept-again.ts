import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import { type Accepted, accept } from './accept.ts';

/**
 * Takes in once more what was taken in under this id first, for senders whose message may be another one when they send it again: its
 * files have changed, or are not to be had any more. The first stands; whoever kept it may have died before its session was told.
 *
 * @returns undefined when nothing is known of it
 */
export async function acceptAgain(
  key: SessionKey,
  eventId: string,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'listings'>,
): Promise<Accepted | undefined> {
  const [kept] = await io.inbox.read(key, [eventId]);
  if (!kept) return undefined;
  if (kept.done) return 'duplicate';
  const { text, attachments, by, caller, mode } = kept;
  const first = {
    ...{ eventId, text },
    ...(attachments && { attachments }),
    ...(by !== undefined && { by }),
    ...(caller && { caller }),
    ...(mode && { mode }),
  };
  return accept(key, { ...first, whenFull: 'keep' }, io);
}
