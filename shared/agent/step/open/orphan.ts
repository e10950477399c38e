import { own } from '../../plain/merge.ts';
import type { Ports } from '../../ports/ports.ts';
import { backgroundUntil } from '../../session/background.ts';
import type { Loaded } from './load.ts';

/**
 * Whether the call that a session works for has its result before the session has begun, or the time of a session in the
 * background is over. A process that was taken for dead may begin a child late, when its parent has stopped, and has found no
 * child to stop.
 */
export async function isOrphan(
  { key, view: { session } }: Loaded,
  { later, clock }: Pick<Ports, 'later' | 'clock'>,
): Promise<boolean> {
  const { parent, run } = session;
  if (!parent) return false;
  const until = backgroundUntil(session);
  if (until !== undefined && until <= clock.now()) return true;
  if (run) return false;
  const of = { tenant: key.tenant, sessionId: parent.sessionId };
  return own(await later.settled(of, [parent.id]), parent.id) !== undefined;
}
