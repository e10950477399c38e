/**
 * Authenticated encryption under a tenant's data key. Loaded where `tenantKeys` is on.
 *
 * AES-256-GCM. Each place (an item of the table, an object of the bucket, a message) has keys of its own, derived from
 * the data key with HKDF-SHA-256 (RFC 5869), so no place comes near the 2^32 messages that NIST SP 800-38D (section 8.3)
 * allows for one key. The nonce is an HMAC of the name and the content, as in synthetic IVs (RFC 5297): equal contents
 * under one name have equal ciphertexts, so a condition of a write can compare them, and a write that is applied twice
 * is the same write. The place is part of the key and of the additional data: content that is moved to another item,
 * attribute or tenant cannot be opened.
 */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/** Seals and opens contents under one data key. */
export interface Sealer {
  /** @param place the parts of its name, such as the keys of an item */
  at(...place: readonly string[]): SealedPlace;
}

/** The contents of one place, by name. */
export interface SealedPlace {
  seal(name: string, content: Uint8Array): Uint8Array;
  /** Throws {@link BrokenSeal} unless `seal` made it here, under this name, with this data key. */
  open(name: string, sealed: Uint8Array): Uint8Array;
}

/** Sealed content was changed, cut or moved, or is of a version that this code does not know. */
export class BrokenSeal extends Error {
  override name = 'BrokenSeal';
}

/** Bytes of a data key: `AES_256` of KMS. */
export const DATA_KEY_BYTES = 32;
/** The format: version, nonce, ciphertext, tag. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes by which sealed content is longer. */
export const SEAL_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';

/** @param dataKey of {@link DATA_KEY_BYTES} bytes */
export function sealerOf(dataKey: Uint8Array): Sealer {
  if (dataKey.length !== DATA_KEY_BYTES) throw new Error(`a data key has ${DATA_KEY_BYTES} bytes`);
  return { at: (...place) => placeUnder(dataKey, JSON.stringify(place)) };
}

function placeUnder(dataKey: Uint8Array, place: string): SealedPlace {
  const derived = Buffer.from(hkdfSync('sha256', dataKey, '', `steploop ${VERSION} ${place}`, 64));
  const [key, nonceKey] = [derived.subarray(0, 32), derived.subarray(32)];
  const additional = (name: string) => Buffer.from(JSON.stringify([VERSION, place, name]));
  return {
    seal(name, content) {
      const data = additional(name);
      const nonce = createHmac('sha256', nonceKey)
        .update(`${data.length} `)
        .update(data)
        .update(content)
        .digest()
        .subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(data);
      const text = [cipher.update(content), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), nonce, ...text, cipher.getAuthTag()]);
    },

    open(name, sealed) {
      if (sealed[0] !== VERSION)
        throw new BrokenSeal(
          `sealed content of ${place} has version ${sealed[0]}; this code knows ${VERSION}`,
        );
      if (sealed.length < SEAL_BYTES) throw new BrokenSeal(`sealed content of ${place} is cut off`);
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(additional(name))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES));
        const { buffer, byteOffset, length } = Buffer.concat([text, decipher.final()]);
        return new Uint8Array(buffer, byteOffset, length);
      } catch {
        throw new BrokenSeal(`sealed content of ${place} was changed or moved, or belongs to another key`);
      }
    },
  };
}
