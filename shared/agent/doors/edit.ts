/** A message said again, in other words: in a fork that ends before it. What came of the old one stays where it was. */

import { userMessageId } from '../events/snapshot.ts';
import { slotsOf } from '../lineage/slots.ts';
import type { Ports } from '../ports/ports.ts';
import type { Session } from '../session/session.ts';
import type { InputTurn, ModelSlot } from '../session/slots.ts';
import type { Arrival } from './accept.ts';

/** Slots that are looked through at a time, from the newest back. */
const WINDOW = 100;

/** A message of a person, and where it was said. */
export interface Said {
  /** Slot of the reply that it was read for. */
  readonly slot: number;
  /** What people have said there, in order: the model has read it together. */
  readonly together: readonly InputTurn[];
  /** Which of these it is. */
  readonly index: number;
}

/** Where a message was said, by the id under which people are shown it; undefined when there is none. */
export async function findSaid(
  session: Session,
  messageId: string,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<Said | undefined> {
  for (let end = session.version; end > 0; end -= WINDOW) {
    const stored = await slotsOf(session, Math.max(0, end - WINDOW), sessions, {
      below: end,
      bytes: Number.POSITIVE_INFINITY,
    });
    for (const { slot } of stored.toReversed()) {
      const together = slot.kind === 'model' ? saidIn(slot) : [];
      const index = together.findIndex(({ eventId = '' }) => userMessageId(eventId) === messageId);
      if (index >= 0) return { slot: slot.n, together, index };
    }
  }
  return undefined;
}

const saidIn = ({ input }: ModelSlot): InputTurn[] =>
  input.filter(({ eventId, internal }) => eventId !== undefined && !internal);

/**
 * What is said in the fork: all that was said together, in order, with the one in its new words. What was sent with that one goes with it,
 * unless something else is sent.
 *
 * @param idOf the event id of the nth of them
 */
export const saidAgain = (
  { together, index }: Said,
  words: Pick<Arrival, 'text' | 'attachments'>,
  idOf: (n: number) => string,
): Pick<Arrival, 'eventId' | 'text' | 'attachments'>[] =>
  together.map(({ text, attachments }, n) => {
    const said = n === index ? { attachments, ...words } : { text, attachments };
    return { eventId: idOf(n), text: said.text, ...(said.attachments && { attachments: said.attachments }) };
  });
