/**
 * Invariants of order: 8, 13, 15. Messages are read in order of arrival, and calls that change something run in their
 * turn.
 */

import type { Checks, SentEvent, Turn } from '../ledger.ts';
import type { ServedReply } from '../served.ts';
import { isLeftOut } from '../withdrawals.ts';
import { type Committed, toolSlots } from './commits.ts';

/** A call that starts in a step, during and after others of the same attempt. */
export interface StartedInTurn {
  readonly callId: string;
  readonly turn: Pick<Turn, 'changes' | 'file'>;
  readonly reply: ServedReply | undefined;
  readonly turns: ReadonlyMap<string, Turn>;
}

export const turnChecks: Checks<StartedInTurn> = {
  '8 every call that starts was requested': ({ callId, reply }) =>
    reply ? undefined : `no reply has asked for ${callId}`,

  '28 a reply that may only speak starts nothing': ({ callId, reply }) =>
    reply?.textOnly ? `${callId} started, and its reply could only speak` : undefined,

  '8 calls that change something start in their turn': ({ callId, turn, reply, turns }) => {
    const at = reply?.calls.indexOf(callId) ?? 0;
    for (const [other, before] of turns) {
      if (!reply?.calls.includes(other) || !conflict(turn, before)) continue;
      if (!before.over) return `${callId} starts while ${other} goes on`;
      if (reply.calls.indexOf(other) > at)
        return `${callId} starts after ${other}, and was asked for before it`;
    }
    return undefined;
  },
};

/** Whether one of them changes something and, as far as their tools say, both touch the same file. */
const conflict = (one: StartedInTurn['turn'], other: StartedInTurn['turn']): boolean =>
  (one.changes || other.changes) && !(one.file && other.file && one.file !== other.file);

export const orderChecks: Checks<Committed & { readonly skewMs: number }> = {
  '8 results come in the order of their calls': ({ slots, facts }) => {
    for (const { n, replyTo, results, made } of toolSlots(slots)) {
      // The system's calls are one call each.
      if (made) continue;
      const asked = facts.served.replies.get(replyTo)?.calls.join();
      const given = results.map(({ callId }) => callId).join();
      if (asked !== given) return `slot ${n}: asked ${asked}, answered ${given}`;
    }
    return undefined;
  },

  '15 messages are read in the order in which they were accepted': ({ slots, facts, skewMs }) => {
    for (const slot of slots) {
      if (slot?.kind !== 'model') continue;
      const ids = slot.input.flatMap(({ eventId }) => eventId ?? []);
      for (const [i, eventId] of ids.entries()) {
        const sent = facts.events.get(eventId);
        const overtaken = [...facts.events].find(
          ([other, { toldAt }]) =>
            sent &&
            isBefore(toldAt, sent, skewMs) &&
            !ids.slice(0, i).includes(other) &&
            isUnread(other, facts, slot.n) &&
            !isLeftOut(facts, other),
        );
        if (overtaken)
          return `${eventId} is in slot ${slot.n} before ${overtaken[0]}, which was accepted first`;
      }
    }
    return undefined;
  },
};

/** Whether one event was acknowledged before the other was sent. Hosts with skewed clocks cannot order close ones. */
const isBefore = (toldAt: number | undefined, { sentAt }: SentEvent, skewMs: number): boolean =>
  toldAt !== undefined && toldAt + 2 * skewMs < sentAt;

const isUnread = (eventId: string, { incorporated }: Committed['facts'], n: number): boolean =>
  (incorporated.get(eventId) ?? Number.POSITIVE_INFINITY) >= n;
