/** The share of a tenant that sends many requests in a second. Loaded for the first such tenant. */

import type { RequestCounts } from '../../shared/edge/request-counts.ts';
import { openly, tooMany } from './admit.ts';
import type { Asked, Share } from './request-share.ts';

/** Part of the limit that an environment asks for at once. */
const LOT = 1 / 5;
/** If the table has less, the environment asks for this many times less. */
const SHRINKS = 5;
/** Seconds after which a refused request is to come again: the next second has its own count. */
const ASK_AGAIN_SECONDS = 1;

/** Asks for enough to cover what is missing, and for more if there is more. Refuses with 429 if there is not enough. */
export async function refill(
  share: Share,
  { tenant, at }: Asked,
  counts: RequestCounts,
  perSecond: number,
): Promise<void> {
  while (share.left < 0 && !share.closed) {
    const missing = Math.min(perSecond, -share.left);
    const wanted = Math.max(missing, share.lot ?? Math.ceil(perSecond * LOT));
    share.left += wanted;
    // A limit that cannot be counted is no reason to refuse.
    const taken = counts.take(tenant, Math.floor(at / 1_000), wanted, perSecond);
    if ((await openly(taken, { tenant })) !== false) return;
    share.left -= wanted;
    if (wanted <= missing) share.closed = true;
    share.lot = Math.ceil(wanted / SHRINKS);
  }
  if (share.closed)
    throw tooMany('Too many requests', 'This tenant has reached its limit of requests per second.', {
      retryAfterSeconds: ASK_AGAIN_SECONDS,
    });
}
