import type { InboxEvent } from '../../ports/inbox.ts';
import type { Slot } from '../../session/slots.ts';

/**
 * Events that were taken back before a step has read them count as already incorporated, and so does what takes them back. An
 * event in a slot that an earlier owner has stored was read: it stays, and the model hears later that it was taken back. An
 * owner that died without a slot may have shown the event to people as the beginning of a run. The event that takes it back then stays, so that
 * the run goes on to its end and a snapshot shows it without the event.
 *
 * @param uncommitted slots of earlier owners of this step
 * @param isFirst whether no attempt at this step came before
 */
export function withoutWithdrawn(
  inbox: readonly InboxEvent[],
  uncommitted: readonly Slot[],
  isFirst: boolean,
): readonly InboxEvent[] {
  if (!inbox.some(({ withdraws }) => withdraws !== undefined)) return inbox;
  const read = new Set(
    uncommitted.flatMap((slot) => (slot.kind === 'model' ? slot.input : [])).map(({ eventId }) => eventId),
  );
  const waiting = new Set(inbox.filter(({ id, done }) => !done && !read.has(id)).map(({ id }) => id));
  const gone = new Set(
    inbox.flatMap(({ id, withdraws, done }) =>
      !done && withdraws !== undefined && waiting.has(withdraws) ? [withdraws, ...(isFirst ? [id] : [])] : [],
    ),
  );
  return inbox.map((event) => (gone.has(event.id) ? { ...event, text: '', done: true } : event));
}
