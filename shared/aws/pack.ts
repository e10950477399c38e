import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** JSON in few bytes: a write is billed by the kilobyte. */
export const pack = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** The packed value. It also reads plain JSON text, which an older version stored. */
export const unpack = <T>(packed: Uint8Array | string): T =>
  JSON.parse(typeof packed === 'string' ? packed : inflateRawSync(packed).toString());
