import type { Blobs } from '../../shared/agent/ports/blobs.ts';
import { once } from '../../shared/aws/once.ts';
import type { Links } from '../../shared/edge/links.ts';
import { wallClock } from '../../shared/wall-clock.ts';
import { sealing } from './sealing.ts';

/** Links to objects. A sealed object has a copy in the clear for them (`opened-links.ts`). */
export function sealedLinks<Some extends Pick<Links, 'downloadFrom'>>(links: Some, blobs: Blobs): Some {
  if (!sealing()) return links;
  const open = once(async () =>
    (await import('../../shared/aws/opened-links.ts')).openedLinks(links, blobs, wallClock),
  );
  return { ...links, downloadFrom: async (...asked) => (await open()).downloadFrom(...asked) };
}
