import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { maySeeAll } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { noSuchSession } from './context.ts';

/** Whether the caller may see a session of their tenant, and send messages to it. */
export const isSeenBy = (caller: Identity, { user }: Pick<Session, 'user'>): boolean =>
  maySeeAll(caller) || user === caller.subject;

/** The owner that is stored with a session that begins over the API: signed-in people have their own sessions. */
export const userOf = ({ kind, subject }: Identity): string | undefined =>
  kind === 'jwt' ? subject : undefined;

/**
 * Refuses a session that the caller may not see with 404, as if it did not exist. A session that does not exist passes: the route
 * refuses or creates it. Costs a read for callers who see only their own sessions.
 */
export async function requireSeen(
  key: SessionKey,
  caller: Identity,
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<void> {
  if (maySeeAll(caller)) return;
  const view = await sessions.read(key);
  if (view && !isSeenBy(caller, view.session)) throw noSuchSession();
}
