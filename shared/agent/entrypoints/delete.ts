import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionView } from '../ports/sessions.ts';
import type { Session } from '../session/session.ts';
import type { Burial, Graves } from './graves.ts';

interface Io {
  readonly sessions: Pick<Ports['sessions'], 'read' | 'cancel'>;
  readonly queue: Pick<Ports['queue'], 'send'>;
  readonly graves: Pick<Graves, 'bury'>;
}

/** Deletes a session that is at rest. The next sweeps remove its stored data (`erase.ts`). */
export async function deleteSession(key: SessionKey, now: number, io: Io): Promise<Burial> {
  const view = await io.sessions.read(key);
  if (view) await stopBackground(view, now, io);
  // A tombstone may be from an earlier try of this request, whose answer was lost: the store knows.
  return io.graves.bury(key, now, view && originOf(view.session));
}

/** Deletes a session that is unchanged since `view` was read. */
export async function deleteAsSeen(
  view: SessionView,
  now: number,
  io: Omit<Io, 'sessions'> & Stopping,
): Promise<Burial> {
  const { session, fence } = view;
  await stopBackground(view, now, io);
  return io.graves.bury(session.key, now, { seen: fence, ...originOf(session) });
}

interface Stopping {
  readonly sessions: Pick<Ports['sessions'], 'cancel'>;
}

/**
 * Stops what works in the background for a session that is to be deleted, first: afterwards nothing names it. A session that is
 * not at rest is not deleted.
 */
async function stopBackground(
  { session: { key, background = [] }, dueAt }: SessionView,
  now: number,
  { sessions, queue }: Pick<Io, 'queue'> & Stopping,
): Promise<void> {
  if (dueAt !== undefined) return;
  await Promise.all(
    background.map(async ({ sessionId }) => {
      const child = { tenant: key.tenant, sessionId };
      if ((await sessions.cancel(child, now)) === 'cancelled') await queue.send(child);
    }),
  );
}

/** The session that still lists this one as its fork: the tombstone names it, so that a sweep can release it (`erase.ts`). */
function originOf({ origin }: Session): { readonly origin?: string } {
  const from = origin?.at(-1)?.sessionId;
  return from === undefined ? {} : { origin: from };
}
