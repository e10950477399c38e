import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SessionKey } from '../../contract/session.ts';
import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';

/** The name of content: its SHA-256, in hex. */
export const contentHash = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

/**
 * Where a session's content is stored: files of its workspace, and what people have sent. Each content is stored once, however
 * often it is named.
 */
export const contentKey = ({ tenant, sessionId }: SessionKey, hash: string): string =>
  blobKey(tenant, sessionId, 'content', hash);

/** Stores content under its hash, and returns the hash. Must be done before anything names it; doing it again changes nothing. */
export async function putContent(
  key: SessionKey,
  bytes: Uint8Array,
  blobs: Pick<Blobs, 'putBytes'>,
): Promise<string> {
  const hash = contentHash(bytes);
  await blobs.putBytes(contentKey(key, hash), bytes);
  return hash;
}
