import { type Recent, recent } from '../plain/recent.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/ports.ts';

/** Bytes of content that a worker remembers, and for how long, in ms (5 MB, 5 minutes). */
const MAX_BYTES = 5_000_000;
const KEPT_MS = 300_000;

interface Kept {
  readonly bytes: Uint8Array;
  readonly until: number;
}

/** The blobs that a worker has read, separate for each store. */
const remembered = new WeakMap<Pick<Blobs, 'getBytes'>, Recent<Kept>>();

/**
 * The content under a key that is derived from its content, so it never changes: the key identifies the file, its version and its
 * owner. The caller must not change it.
 */
export async function contentAt(
  key: string,
  blobs: Pick<Blobs, 'getBytes'>,
  clock: Pick<Clock, 'now'>,
): Promise<Uint8Array | undefined> {
  const kept = remembered.get(blobs)?.get(key);
  if (kept && kept.until > clock.now()) return kept.bytes;
  const bytes = await blobs.getBytes(key);
  if (bytes) rememberContent(key, bytes, blobs, clock);
  return bytes;
}

/** Remembers content that was just written, since it is usually read next. */
export function rememberContent(
  key: string,
  bytes: Uint8Array,
  blobs: Pick<Blobs, 'getBytes'>,
  clock: Pick<Clock, 'now'>,
): void {
  const all = remembered.get(blobs) ?? recent<Kept>(MAX_BYTES, (kept) => kept.bytes.length);
  remembered.set(blobs, all);
  all.set(key, { bytes, until: clock.now() + KEPT_MS });
}

/** The store of a session's files: a warm worker reads nothing twice that is named by its content. */
export const warm = (
  blobs: Pick<Blobs, 'getBytes' | 'putBytes'>,
  clock: Pick<Clock, 'now'>,
): Pick<Blobs, 'getBytes' | 'putBytes'> => ({
  getBytes: (key) => contentAt(key, blobs, clock),
  async putBytes(key, bytes) {
    await blobs.putBytes(key, bytes);
    rememberContent(key, bytes, blobs, clock);
  },
});
