import { assertBlobKey } from '../agent/plain/blob-key.ts';
import type { Blobs } from '../agent/ports.ts';

/** Blobs in memory. */
export function createBlobs(): Blobs {
  const bodies = new Map<string, Uint8Array>();
  const put = (key: string, body: Uint8Array) => {
    assertBlobKey(key);
    bodies.set(key, body);
  };
  const get = (key: string): Uint8Array | undefined => {
    assertBlobKey(key);
    return bodies.get(key);
  };
  return {
    put: async (key, text) => put(key, new TextEncoder().encode(text)),
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
