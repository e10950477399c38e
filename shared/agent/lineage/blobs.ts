import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Session } from '../session/session.ts';

/**
 * Kinds of blobs that are named by their content. Blobs that tools store under names of their own may change, so a fork does
 * not share them.
 */
const byContent = ['content', 'trees', 'attachments'];

/**
 * The blobs of a session that may be a fork: a blob that is named by its content and not stored there is looked up in the
 * sessions that it comes from, the nearest first. New blobs are stored in the session itself.
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

/** Where a blob of the session is stored, for a link to it: under the given key, unless the session shares it with an origin. */
export async function placeOf(
  of: Pick<Session, 'key' | 'origin'>,
  at: string,
  blobs: Pick<Blobs, 'has'>,
): Promise<string> {
  if (!of.origin) return at;
  for (const place of placesOf(of, at)) if (await blobs.has(place)) return place;
  return at;
}

/** The places where it may be stored, in the order in which they are searched. */
function placesOf({ key, origin = [] }: Pick<Session, 'key' | 'origin'>, at: string): string[] {
  const { tenant, sessionId } = key;
  const own = blobKey(tenant, sessionId);
  if (!byContent.some((kind) => at.startsWith(`${own}/${kind}/`))) return [at];
  const rest = at.slice(own.length);
  return [at, ...origin.toReversed().map((share) => blobKey(tenant, share.sessionId) + rest)];
}
