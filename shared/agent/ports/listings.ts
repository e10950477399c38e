import type { Naming, Standing } from '../../contract/listing.ts';
import type { SessionKey } from '../../contract/session.ts';

/** What lists of sessions are made of, an item each beside HEAD: an index of it takes no part in ordinary steps. */
export interface Listings {
  /**
   * Says where a session stands, unless something newer is known. What it is called is taken from whoever is first to say it. Idempotent.
   */
  moved(key: SessionKey, standing: Standing, naming?: Naming): Promise<void>;
}
