import type { Ports } from '../../ports/ports.ts';
import type { Session } from '../../session/session.ts';
import { isAnswered } from '../../session/waits.ts';
import { wakeFor } from '../../session/wake.ts';

/**
 * Resolves the waits of a batch whose callback has already come: a callback may come before its wait is open. The process that answers keeps the
 * callback first and then looks for the wait. A step opens the wait first and then looks for the callback. So one of them sees the other.
 *
 * @param pending ids of the waits that are still open; all of them when absent
 */
export async function lookForAnswers(
  session: Session,
  { clock, later, queue }: Pick<Ports, 'clock' | 'later' | 'queue'>,
  pending?: readonly string[],
): Promise<void> {
  const { key, batch } = session;
  const waits = (batch?.waits ?? []).filter(
    (wait) => isAnswered(wait) && (pending?.includes(wait.id) ?? true),
  );
  if (waits.length === 0) return;
  const found = await later.settled(
    key,
    waits.map(({ id }) => id),
  );
  const ids = Object.keys(found);
  for (const id of ids) await later.resolve(key, id, clock.now());
  if (ids.length > 0) await queue.send(wakeFor(session));
}
