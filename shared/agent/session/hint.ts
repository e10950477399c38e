import type { Wake } from '../../contract/queue.ts';
import { type Session, tailStart } from './session.ts';

/**
 * Events that a wake names, so that they are read beside the claim. Each event of a burst sends a wake, and most of those claim
 * nothing: with all that waits in each, a hundred events would be read five thousand times. One who claims reads them then.
 */
export const MAX_HINTED = 10;

/** What a wake for an accepted event says of its session. */
export const hintOf = (
  session: Pick<Session, 'version' | 'contextStart' | 'packed' | 'origin' | 'definition'>,
  inbox: readonly string[],
): NonNullable<Wake['hint']> => ({
  version: session.version,
  from: tailStart(session),
  definition: session.definition,
  ...(inbox.length <= MAX_HINTED && { inbox: [...inbox] }),
});
