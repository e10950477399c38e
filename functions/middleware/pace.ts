import type { RequestCounts } from '../../shared/edge/request-counts.ts';
import type { Asked, Share } from './request-share.ts';

/**
 * The limit on a tenant's requests in a second, so that no tenant keeps the functions busy for all others. Each environment counts
 * by itself, and asks the table only for more than a small share: a tenant whose requests are few costs no read and no write. So a
 * tenant may exceed the limit by that share for each environment.
 */
export interface Pace {
  /** Refuses with 429 and Retry-After what is beyond the limit. If the table does not answer, the request is let in. */
  admit(asked: Asked): Promise<void>;
  /** Counts what a request turned out to need beyond {@link Asked.units}. Refuses nothing: later requests of the second pay. */
  spent(asked: Asked, units: number): void;
}

/** Part of the limit that each environment gives without asking: with the default limit, 100 requests in a second. */
const FREE = 1 / 10;
/** Tenants, with their seconds, that an environment remembers. */
const REMEMBERED = 1_000;

/**
 * @param open opens the counts of all environments, for the first tenant that needs them
 * @param perSecond the units of each tenant in a second
 */
export function createPace(open: () => Promise<RequestCounts>, perSecond: number): Pace {
  const shares = new Map<string, Share>();

  function shareOf({ tenant, at }: Asked): Share {
    const key = `${Math.floor(at / 1_000)}#${tenant}`;
    const share = shares.get(key) ?? { left: Math.ceil(perSecond * FREE) };
    shares.set(key, share);
    const [oldest = key] = shares.keys();
    if (shares.size > REMEMBERED) shares.delete(oldest);
    return share;
  }

  return {
    async admit(asked) {
      const share = shareOf(asked);
      // A request that counts for more than the whole limit takes a second for itself.
      if (!share.closed) share.left -= Math.min(asked.units, perSecond);
      if (share.left >= 0 && !share.closed) return;
      const { refill } = await import('./pace-refill.ts');
      await refill(share, asked, await open(), perSecond);
    },
    spent(asked, units) {
      shareOf(asked).left -= units;
    },
  };
}
