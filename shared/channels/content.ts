import { blobsOf } from '../agent/lineage/blobs.ts';
import type { Blobs } from '../agent/ports/blobs.ts';
import type { Session } from '../agent/session/session.ts';
import { contentKey } from '../agent/workspace/content.ts';

/** The content of a session, which may be a fork, under a hash; undefined if there is none. Rejects if it has more bytes. */
export const contentOf = (
  session: Pick<Session, 'key' | 'origin'>,
  hash: string,
  maxBytes: number,
  blobs: Blobs,
): Promise<Uint8Array | undefined> =>
  blobsOf(session, blobs).getBytes(contentKey(session.key, hash), maxBytes);
