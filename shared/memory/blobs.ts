import type { Blobs } from '../agent/ports.ts';

/** Blobs in memory. */
export function createBlobs(): Blobs {
  const bodies = new Map<string, string>();
  return {
    async put(key, body) {
      bodies.set(key, body);
    },
    async get(key) {
      return bodies.get(key);
    },
  };
}
