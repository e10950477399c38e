import type { InboxEvent } from '../../ports/inbox.ts';
import type { Slot } from '../../session/slots.ts';

/**
 * Events that were taken back before a step has read them count as already incorporated, and so does what takes them back. An
 * event in a slot that an earlier owner has stored was read: it stays, and the model hears later that it was taken back.
 *
 * @param uncommitted slots of earlier owners of this step
 */
export function withoutWithdrawn(
  inbox: readonly InboxEvent[],
  uncommitted: readonly Slot[],
): readonly InboxEvent[] {
  if (!inbox.some(({ withdraws }) => withdraws !== undefined)) return inbox;
  const read = new Set(
    uncommitted.flatMap((slot) => (slot.kind === 'model' ? slot.input : [])).map(({ eventId }) => eventId),
  );
  const waiting = new Set(inbox.filter(({ id, done }) => !done && !read.has(id)).map(({ id }) => id));
  const gone = new Set(
    inbox.flatMap(({ id, withdraws, done }) =>
      !done && withdraws !== undefined && waiting.has(withdraws) ? [id, withdraws] : [],
    ),
  );
  return inbox.map((event) => (gone.has(event.id) ? { ...event, text: '', done: true } : event));
}
