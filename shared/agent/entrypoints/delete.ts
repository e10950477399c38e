import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionView } from '../ports/sessions.ts';
import type { Session } from '../session/session.ts';
import type { Burial, Graves } from './graves.ts';

interface Io {
  readonly sessions: Pick<Ports['sessions'], 'read'>;
  readonly graves: Pick<Graves, 'bury'>;
}

/** Deletes a session that is at rest. The next sweeps remove its stored data (`erase.ts`). */
export async function deleteSession(key: SessionKey, now: number, { sessions, graves }: Io): Promise<Burial> {
  const view = await sessions.read(key);
  // A tombstone may be from an earlier try of this request, whose answer was lost: the store knows.
  return graves.bury(key, now, view && originOf(view.session));
}

/** Deletes a session that is unchanged since `view` was read. */
export const deleteAsSeen = (
  { session, fence }: SessionView,
  now: number,
  graves: Pick<Graves, 'bury'>,
): Promise<Burial> => graves.bury(session.key, now, { seen: fence, ...originOf(session) });

/** The session that still lists this one as its fork: the tombstone names it, so that a sweep can release it (`erase.ts`). */
function originOf({ origin }: Session): { readonly origin?: string } {
  const from = origin?.at(-1)?.sessionId;
  return from === undefined ? {} : { origin: from };
}
