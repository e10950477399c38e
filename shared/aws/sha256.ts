import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** The hash for the SDK's signer, made for its only use: one piece of data, then its digest. */
export class Sha256 {
  readonly #secret: Source | undefined;
  #data: string | Uint8Array = '';

  /** @param secret makes it an HMAC */
  constructor(secret?: Source) {
    this.#secret = secret;
  }

  /** A second piece is refused: the signer has only one, and the digest would be wrong. */
  update(data: Uint8Array): void {
    if (this.#data !== '') throw new Error('it hashes one piece of data');
    this.#data = data;
  }

  async digest(): Promise<Uint8Array> {
    return this.#secret === undefined
      ? hash('sha256', this.#data, 'buffer')
      : createHmac('sha256', keyOf(this.#secret)).update(this.#data).digest();
  }

  reset(): void {
    this.#data = '';
  }
}

type Source = string | ArrayBuffer | ArrayBufferView;

/**
 * The SDK keeps the key of a day, and signs each request with it. Node makes a key object from the bytes each time,
 * which takes eight times as long as the signature: 12 µs instead of 1.5.
 */
const keys = new WeakMap<object, KeyObject>();

function keyOf(secret: Source): string | KeyObject {
  if (typeof secret === 'string') return secret;
  const known = keys.get(secret);
  if (known) return known;
  const key = createSecretKey(
    ArrayBuffer.isView(secret)
      ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength)
      : Buffer.from(secret),
  );
  keys.set(secret, key);
  return key;
}
