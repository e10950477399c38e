import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import { EVERYBODY } from '../session/requesters.ts';

/**
 * Subject of the person who began the active run, or the one that the next step begins: the sender of its first message.
 * Undefined if no run is active or waiting, and if the sender is not known.
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
  // During the run's first step HEAD does not know the run yet: the messages that it will read wait in the inbox.
  const events = await io.inbox.read(key, view.fence.inbox);
  return events.find(({ control, done }) => !control && !done)?.by;
}
