import { assertBlobKey } from '../agent/plain/blob-key.ts';
import { encoded } from '../agent/plain/utf8.ts';
import type { Blobs } from '../agent/ports/blobs.ts';

/** Adds the deletion of objects by the start of their keys, for the process that deletes sessions. */
export interface MemoryBlobs extends Blobs {
  erase(prefix: string): void;
  holds(prefix: string): boolean;
}

/** Blobs in memory. */
export function createBlobs(): MemoryBlobs {
  const bodies = new Map<string, Uint8Array>();
  const put = (key: string, body: Uint8Array) => {
    assertBlobKey(key);
    bodies.set(key, body);
  };
  const get = (key: string): Uint8Array | undefined => {
    assertBlobKey(key);
    return bodies.get(key);
  };
  const under = (prefix: string) => [...bodies.keys()].filter((key) => key.startsWith(prefix));
  return {
    erase(prefix) {
      for (const key of under(prefix)) bodies.delete(key);
    },
    holds: (prefix) => under(prefix).length > 0,
    put: async (key, text) => put(key, encoded(text)),
    async get(key) {
      const body = get(key);
      return body && new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
    },
    putBytes: async (key, body) => put(key, body.slice()),
    async getBytes(key, maxBytes = Number.POSITIVE_INFINITY) {
      const body = get(key);
      if (body && body.length > maxBytes) throw new Error(`the object has more than ${maxBytes} bytes`);
      return body?.slice();
    },
    has: async (key) => get(key) !== undefined,
  };
}
