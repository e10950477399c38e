import type { SessionKey } from '../../contract/session.ts';
import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Attachment } from '../session/attachments.ts';

/** The facts about an attachment in a link to it. */
export type LinkFacts = Pick<Attachment, 'name' | 'mediaType' | 'as'>;

const factsKey = ({ tenant, sessionId }: SessionKey, hash: string): string =>
  blobKey(tenant, sessionId, 'attachments', hash);

/** Stores the facts for later links beside the content, because a request for a link only names a hash. */
export const keepFacts = (
  key: SessionKey,
  { hash, name, mediaType, as }: Attachment,
  blobs: Pick<Blobs, 'put'>,
): Promise<void> => blobs.put(factsKey(key, hash), JSON.stringify({ name, mediaType, as }));

/** Undefined if nothing with this hash was sent in the session. */
export async function factsOf(
  key: SessionKey,
  hash: string,
  blobs: Pick<Blobs, 'get'>,
): Promise<LinkFacts | undefined> {
  const kept = await blobs.get(factsKey(key, hash));
  return kept === undefined ? undefined : JSON.parse(kept);
}
