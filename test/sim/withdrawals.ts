/** The simulator's own records of messages that people take back. */

import type { SessionFacts } from './ledger.ts';

/** The event that takes another one back. */
export const withdrawalOf = (eventId: string): string => `${eventId}-back`;

/** Whether an event may be in no slot: it was taken back, or takes back one that is in none. */
export function isLeftOut({ events, incorporated }: SessionFacts, eventId: string): boolean {
  const target = events.get(eventId)?.withdraws ?? eventId;
  return events.get(withdrawalOf(target))?.arrived === true && !incorporated.has(target);
}

/** The events without those that take each other out: a message, and the one that takes it back. */
export function withoutTakenBack(ids: readonly string[], { events }: SessionFacts): readonly string[] {
  const isPair = (id: string) => {
    const target = events.get(id)?.withdraws ?? id;
    return ids.includes(target) && ids.includes(withdrawalOf(target));
  };
  return ids.filter((id) => !isPair(id));
}
