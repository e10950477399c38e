import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Session } from '../session/session.ts';

/** Kinds of blobs that are named by their content. What tools keep under names of their own may change, so no fork has it. */
const byContent = ['content', 'trees', 'attachments'];

/**
 * The blobs of a session that may have been forked: what is named by its content, and not there, is looked for in the sessions that
 * it comes from, the nearest first. What is put is put into the session itself.
 */
export function blobsOf(of: Pick<Session, 'key' | 'origin'>, blobs: Blobs): Blobs {
  if (!of.origin) return blobs;
  const first = async <Found>(
    at: string,
    look: (place: string) => Promise<Found | undefined>,
  ): Promise<Found | undefined> => {
    for (const place of placesOf(of, at)) {
      const found = await look(place);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    ...blobs,
    get: (at) => first(at, (place) => blobs.get(place)),
    getBytes: (at, maxBytes) => first(at, (place) => blobs.getBytes(place, maxBytes)),
  };
}

/** Where a blob of the session lies, for a link to it: as it is said, unless it is one that it shares. */
export async function placeOf(
  of: Pick<Session, 'key' | 'origin'>,
  at: string,
  blobs: Pick<Blobs, 'has'>,
): Promise<string> {
  if (!of.origin) return at;
  for (const place of placesOf(of, at)) if (await blobs.has(place)) return place;
  return at;
}

/** Where it may lie, in the order in which it is looked for. */
function placesOf({ key, origin = [] }: Pick<Session, 'key' | 'origin'>, at: string): string[] {
  const { tenant, sessionId } = key;
  const own = blobKey(tenant, sessionId);
  if (!byContent.some((kind) => at.startsWith(`${own}/${kind}/`))) return [at];
  const rest = at.slice(own.length);
  return [at, ...origin.toReversed().map((share) => blobKey(tenant, share.sessionId) + rest)];
}
