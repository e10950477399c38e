/**
 * An edited message: it is sent again, in other words, in a fork that ends before it. The original and its replies stay where
 * they were.
 */

import { userMessageId } from '../events/snapshot.ts';
import { slotsOf } from '../lineage/slots.ts';
import { defined } from '../plain/defined.ts';
import type { Ports } from '../ports/ports.ts';
import type { Speaker } from '../session/caller.ts';
import type { Session } from '../session/session.ts';
import type { InputTurn, ModelSlot } from '../session/slots.ts';
import { speakersOf } from '../session/speakers.ts';
import type { Arrival } from './accept.ts';

/** Slots that are read at a time, from the newest back. */
const WINDOW = 100;

/** A message of a person, and where it was sent. */
export interface PersonMessage {
  /** The run that read it. */
  readonly runId: string;
  /** Slot of the reply that it was read for. */
  readonly slot: number;
  /** All messages of people in that slot, in order: the model has read them together. */
  readonly together: readonly InputTurn[];
  /** Index of the edited message among these. */
  readonly index: number;
}

/** Finds a message by the id under which people are shown it; undefined if there is none. */
export async function findSaid(
  session: Session,
  messageId: string,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<PersonMessage | undefined> {
  for (let end = session.version; end > 0; end -= WINDOW) {
    const stored = await slotsOf(session, Math.max(0, end - WINDOW), sessions, {
      below: end,
      bytes: Number.POSITIVE_INFINITY,
    });
    for (const { slot } of stored.toReversed()) {
      const together = slot.kind === 'model' ? saidIn(slot) : [];
      const index = together.findIndex(({ eventId = '' }) => userMessageId(eventId) === messageId);
      if (index >= 0) return { runId: slot.runId, slot: slot.n, together, index };
    }
  }
  return undefined;
}

const saidIn = ({ input }: ModelSlot): InputTurn[] =>
  input.filter(({ eventId, internal }) => eventId !== undefined && !internal);

/**
 * The messages of the fork: all that were sent together, in order, with the edited one in its new words. Its attachments go
 * with it, unless other ones are sent.
 *
 * @param idOf the event id of the nth message
 */
export const saidAgain = (
  { together, index }: PersonMessage,
  words: Pick<Arrival, 'text' | 'attachments'>,
  idOf: (n: number) => string,
): Pick<Arrival, 'eventId' | 'text' | 'attachments'>[] =>
  together.map(({ text, attachments }, n) => {
    const said = n === index ? { attachments, ...words } : { text, attachments };
    return { eventId: idOf(n), text: said.text, ...defined({ attachments: said.attachments }) };
  });

/**
 * The speakers of the messages that are sent again beside the edited one. If their run is not the last one, only the subjects
 * are known, if at all: the rules for unknown people then apply to the fork.
 */
export function saidBeside(
  { run }: Pick<Session, 'run'>,
  { runId, together, index }: PersonMessage,
): readonly Speaker[] {
  const others = together.filter((_, n) => n !== index);
  if (others.length === 0) return [];
  if (run?.id === runId) return speakersOf(run);
  return [...others.flatMap(({ said }) => (said?.by ? [{ by: said.by.subject }] : [])), {}];
}
