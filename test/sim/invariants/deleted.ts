/** Invariant 40: a deleted session was at rest, cannot be found, and leaves nothing behind in the end. */

import type { Head } from '../../../shared/memory/head.ts';
import { type Checks, check, type SessionFacts } from '../ledger.ts';
import type { World } from '../world.ts';

/** A session at the time of its deletion. */
interface Burying {
  readonly facts: SessionFacts;
  readonly head: Head;
}

/** Checked when a session is deleted. */
export const burialChecks: Checks<Burying> = {
  '40 no message is deleted unread': ({ facts, head }) => {
    for (const [eventId, { toldAt }] of facts.events)
      if (toldAt !== undefined && !facts.incorporated.has(eventId))
        return `${facts.pk}: ${eventId} was accepted, and is in no slot (inbox ${head.inbox.join()})`;
    return undefined;
  },
  '40 no running run is deleted': ({ facts, head: { session, owner } }) =>
    owner !== undefined || (session.run && !session.run.ended)
      ? `${facts.pk}: owner ${owner}, run ${session.run?.id}`
      : undefined,
};

/** Checked whenever a session is claimed. */
export function claimedDeleted({ ledger }: World, { pk, buriedAt }: SessionFacts, by: string): void {
  if (buriedAt !== undefined) ledger.violate('40 no deleted session is claimed', `${by} has claimed ${pk}`);
}

/** Checked whenever lists are told of a session. */
export function listedDeleted({ ledger, memory }: World, { pk, buriedAt }: SessionFacts): void {
  if (buriedAt !== undefined && memory.listings.entries.has(pk))
    ledger.violate('40 lists show no deleted session', pk);
}

const leftChecks: Checks<{ readonly facts: SessionFacts; readonly left: readonly string[] }> = {
  '40 nothing is left of a deleted session': ({ facts, left }) =>
    left.length > 0 ? `${facts.pk}: ${left.join()}` : undefined,
};

/** Checked at rest. */
export function checkDeleted({ ledger, memory }: World, facts: SessionFacts): void {
  check(ledger, leftChecks, { facts, left: memory.graves.left(facts.key) });
}
