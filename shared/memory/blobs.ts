import { assertBlobKey } from '../agent/plain/blob-key.ts';
import type { Blobs } from '../agent/ports.ts';

/** Blobs in memory. */
export function createBlobs(): Blobs {
  const bodies = new Map<string, string>();
  return {
    async put(key, body) {
      assertBlobKey(key);
      bodies.set(key, body);
    },
    async get(key) {
      assertBlobKey(key);
      return bodies.get(key);
    },
  };
}
