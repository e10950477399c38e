/** A session that has messages before its first run: a fork, or an import. */

import type { Naming } from '../../contract/listing.ts';
import type { Ports } from '../ports/ports.ts';
import { noTotals, type Session } from '../session/session.ts';

/** `eventSeq` of such a session, and `seq` of the one frame that it begins with: below all frames of its steps (their epoch × 10⁶ + n). */
export const FIRST_SEQ = 1;

/**
 * Announces the session once its HEAD exists: a client that follows it from the beginning is told to read the earlier messages,
 * and lists show it, at rest. Idempotent; newer state stays, so a repetition only repairs what a crash has left out.
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
