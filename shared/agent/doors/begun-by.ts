import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import { EVERYBODY } from '../session/requesters.ts';

/**
 * Subject of who has begun the run that is going, or that the next step begins: whoever has said the first of what it has
 * read. Undefined when no run is going or waits, and when that is not known.
 */
export async function begunBy(
  key: SessionKey,
  io: Pick<Ports, 'sessions' | 'inbox'>,
): Promise<string | undefined> {
  const view = await io.sessions.read(key);
  if (!view) return undefined;
  const { run } = view.session;
  if (run && !run.ended) {
    const first = run.requesters?.[0];
    return first === EVERYBODY ? undefined : first;
  }
  // Of its first step HEAD does not know yet: what it will have read waits in the inbox.
  const events = await io.inbox.read(key, view.fence.inbox);
  return events.find(({ control, done }) => !control && !done)?.by;
}
