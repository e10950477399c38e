import { defined } from '../agent/plain/defined.ts';
import type { Listings } from '../agent/ports/listings.ts';
import type { Naming, Standing } from '../contract/listing.ts';
import type { SessionKey } from '../contract/session.ts';
import { isAskedFor, type Listed, type ListedSessions, placeOf } from '../edge/listed.ts';
import { copy, keep } from './copy.ts';
import { pkOf } from './table.ts';

/** The entry of one session. */
interface Entry extends Partial<Naming> {
  readonly key: SessionKey;
  readonly standing: Standing;
  readonly createdAt: number;
}

/** For simulators: what is listed, by session. */
export interface MemoryListings extends Listings, ListedSessions {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Takes a session off the lists: it cannot come back until it is erased. */
  unlist(key: SessionKey): void;
  erase(key: SessionKey): void;
}

/** Lists of sessions in memory. */
export function createListings(): MemoryListings {
  const entries = new Map<string, Entry>();
  const unlisted = new Set<string>();
  return {
    entries,
    unlist(key) {
      entries.delete(pkOf(key));
      unlisted.add(pkOf(key));
    },
    erase(key) {
      entries.delete(pkOf(key));
      unlisted.delete(pkOf(key));
    },

    async moved(key, standing, naming) {
      if (unlisted.has(pkOf(key))) return;
      const known = entries.get(pkOf(key));
      const isNews = !known || known.standing.order < standing.order;
      entries.set(
        pkOf(key),
        keep({
          key,
          createdAt: standing.at,
          ...naming,
          ...known,
          standing: isNews ? standing : known.standing,
        }),
      );
    },

    async page(tenant, { states, since = 0, until = Infinity, after, limit, ...query }) {
      const all = [...entries.values()].filter(({ key }) => key.tenant === tenant).map(toListed);
      const asked = all.filter(
        (one) =>
          (states?.includes(one.state) ?? true) &&
          one.at >= since &&
          one.at < until &&
          (after === undefined || placeOf(one) < after) &&
          isAskedFor(one, query),
      );
      const sorted = asked.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
      const sessions = sorted.slice(0, limit);
      const last = sessions.at(-1);
      return copy({ sessions, ...(last && sorted.length > limit && { next: placeOf(last) }) });
    },

    async read(key) {
      const known = entries.get(pkOf(key));
      return known && copy(toListed(known));
    },

    async rename(key, to) {
      const known = entries.get(pkOf(key));
      if (!known) return 'unknown';
      entries.set(pkOf(key), keep({ ...known, ...to }));
      return 'renamed';
    },
  };
}

function toListed({
  key,
  standing,
  createdAt,
  title = '',
  source = '',
  user,
  metadata,
  forkOf,
}: Entry): Listed {
  const { order, ...shown } = standing;
  return {
    ...shown,
    ...{ sessionId: key.sessionId, createdAt, title, source },
    ...(user && { user }),
    ...defined({ metadata, forkOf }),
  };
}
