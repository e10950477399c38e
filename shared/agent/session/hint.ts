import type { Wake } from '../../contract/queue.ts';
import { type Session, tailStart } from './session.ts';

/**
 * Events that a wake names, so that they are read in parallel with the claim. Each event of a burst sends a wake, and most
 * wakes claim nothing. If each named everything that waits, a hundred events would be read five thousand times. The step that
 * claims reads the others then.
 */
export const MAX_HINTED = 10;

/** The hints about its session in a wake for an accepted event. */
export const hintOf = (
  session: Pick<Session, 'version' | 'contextStart' | 'packed' | 'origin' | 'definition'>,
  inbox: readonly string[],
): NonNullable<Wake['hint']> => ({
  version: session.version,
  from: tailStart(session),
  definition: session.definition,
  ...(inbox.length <= MAX_HINTED && { inbox: [...inbox] }),
});
