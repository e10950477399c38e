import type { Ports } from '../../shared/agent/ports.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { maySeeAll } from '../middleware/authorize.ts';
import { noSuchSession } from './context.ts';

/** Whether somebody may see a session of their tenant, and say something in it. */
export const isSeenBy = (caller: Identity, { user }: Pick<Session, 'user'>): boolean =>
  maySeeAll(caller) || user === caller.subject;

/** What a session is kept with that somebody begins over the API: people have sessions of their own. */
export const userOf = ({ kind, subject }: Identity): string | undefined =>
  kind === 'jwt' ? subject : undefined;

/**
 * Refuses with 404, as what is not there, a session that somebody may not see. One that is not there is the route's to refuse, or to make. Costs
 * a read for people who see only their own.
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
