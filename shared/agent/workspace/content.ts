import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SessionKey } from '../../contract/session.ts';
import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';

/** What content is named by: its SHA-256, in hex. */
export const contentHash = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

/** Where a session's content lies: files of its workspace, and what people have sent. Once, however often it is named. */
export const contentKey = ({ tenant, sessionId }: SessionKey, hash: string): string =>
  blobKey(tenant, sessionId, 'content', hash);

/** Keeps content under its hash, and tells that. To be done before anything names it; again, it changes nothing. */
export async function putContent(
  key: SessionKey,
  bytes: Uint8Array,
  blobs: Pick<Blobs, 'putBytes'>,
): Promise<string> {
  const hash = contentHash(bytes);
  await blobs.putBytes(contentKey(key, hash), bytes);
  return hash;
}
