/** A session that has messages before its first run: a fork, or what was imported. */

import type { Naming } from '../../contract/listing.ts';
import type { Ports } from '../ports/ports.ts';
import { noTotals, type Session } from '../session/session.ts';

/** `eventSeq` of such a session, and `seq` of the one frame that it begins with: below all that its steps will tell (their epoch × 10⁶ + n). */
export const FIRST_SEQ = 1;

/**
 * Tells that the session is there, when its HEAD is made: whoever follows it from its beginning is told to read what was said before, and lists show
 * it, at rest. Idempotent; whatever is newer stays, so that a repetition only repairs what a crash has left out.
 */
export async function tellThatItIsThere(
  { key, agent }: Pick<Session, 'key' | 'agent'>,
  why: 'forked' | 'imported',
  naming: Naming,
  { log, listings, clock }: Pick<Ports, 'log' | 'listings' | 'clock'>,
): Promise<void> {
  await log.append(key, [
    {
      seq: FIRST_SEQ,
      prev: 0,
      event: { type: 'CUSTOM', name: 'steploop.snapshot_needed', value: { why } },
    },
  ]);
  const standing = { agent, state: 'idle', steps: 0, totals: noTotals, order: 0 } as const;
  await listings.moved(key, { ...standing, at: clock.now() }, naming);
}
