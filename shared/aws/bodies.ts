import { createHash } from 'node:crypto';
import { blobKey } from '../agent/plain/blob-key.ts';
import type { Blobs } from '../agent/ports/blobs.ts';
import type { Item } from './dynamo.ts';

/**
 * Limit in bytes for a body that is stored in its item. An item may have 400 KB; ours stay below 350 (invariant 22).
 */
export const MAX_BODY_BYTES = 300_000;

/** A body as an item holds it: its text, or the key of its blob. */
export type Body = { readonly body: string } | { readonly blob: string };

/** Values as JSON text, which is kept byte for byte, in the item or beside it. */
export interface Bodies {
  /**
   * The attributes for `value`. A large body is in its blob before this resolves, so no pointer ever dangles.
   *
   * @param under the keys of its item, which name the blob together with its content
   */
  store(under: readonly string[], value: unknown): Promise<Body>;
  /** The value for which `store` returned these attributes. */
  load<T>(item: Item): Promise<T>;
}

/**
 * Blobs are named by their content: a late write by a stale owner never replaces what another owner committed, and
 * writing twice is the same as writing once.
 */
export function createBodies(blobs: Blobs): Bodies {
  return {
    async store(under, value) {
      const body = JSON.stringify(value);
      if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return { body };
      const blob = blobKey(...under, createHash('sha256').update(body).digest('hex'));
      await blobs.put(blob, body);
      return { blob };
    },

    async load(item) {
      const body = item.blob === undefined ? item.body : await blobs.get(item.blob);
      if (body === undefined)
        throw new Error(`the body of ${item.pk} ${item.sk} is not in its blob ${item.blob}`);
      return JSON.parse(body);
    },
  };
}
