import type { Naming, Standing } from '../../contract/listing.ts';
import type { SessionKey } from '../../contract/session.ts';

/** The items that lists of sessions are made of, one beside each HEAD, so that ordinary steps need not update an index. */
export interface Listings {
  /** Records the state of a session, unless newer state is known. The first given name stays. Idempotent. */
  moved(key: SessionKey, standing: Standing, naming?: Naming): Promise<void>;
}
