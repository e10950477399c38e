import type { Ports } from '../ports/ports.ts';
import type { Session } from '../session/session.ts';

/**
 * Queues a delivery for a session with external listeners. This goes with every commit, before its message is acknowledged: a
 * redelivery repairs a commit without it, as it repairs one without a wake.
 */
export async function tellOutside({ key, outbound }: Session, io: Pick<Ports, 'queue'>): Promise<void> {
  if (outbound) await io.queue.deliver(key);
}

/** The same at the start of a step, so that listeners are told while the step runs. Best effort: never rejects. */
export const mentionOutside = (session: Session, io: Pick<Ports, 'queue'>): Promise<void> =>
  tellOutside(session, io).catch(() => undefined);
