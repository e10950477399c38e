/** Links to sealed objects, which a browser cannot open. Loaded with the first link where `tenantKeys` is on. */

import { blobKey } from '../agent/plain/blob-key.ts';
import { hash } from '../agent/plain/hash.ts';
import { recent } from '../agent/plain/recent.ts';
import type { Blobs } from '../agent/ports/blobs.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { uploadsPrefix } from '../contract/env.ts';
import type { Links } from '../edge/links.ts';
import { tenantOf } from './tenant-of.ts';

/** Ms for which an environment takes for granted that a copy is there. The bucket keeps it for a day, and links live for an hour. */
const COPIED_MS = 12 * 3_600_000;
const MOST_REMEMBERED = 10_000;

/**
 * A link leads to a copy in the clear, beside the uploads: the bucket deletes it within a day, and the deletion of the tenant's
 * key deletes it at once.
 *
 * @param blobs opens what is sealed; under the prefix of uploads nothing is
 */
export function openedLinks(
  links: Pick<Links, 'downloadFrom'>,
  blobs: Pick<Blobs, 'getBytes' | 'putBytes'>,
  clock: Pick<Clock, 'now'>,
): Pick<Links, 'downloadFrom'> {
  const copiedAt = recent<number>(MOST_REMEMBERED);
  return {
    async downloadFrom(key, as) {
      const tenant = tenantOf(key);
      if (tenant === undefined) return links.downloadFrom(key, as);
      const copy = blobKey(uploadsPrefix, tenant, `opened-${hash(key)}`);
      const now = clock.now();
      if (now - (copiedAt.get(copy) ?? -COPIED_MS) >= COPIED_MS) {
        const bytes = await blobs.getBytes(key);
        if (bytes === undefined) return links.downloadFrom(key, as);
        await blobs.putBytes(copy, bytes);
        copiedAt.set(copy, now);
      }
      return links.downloadFrom(copy, as);
    },
  };
}
