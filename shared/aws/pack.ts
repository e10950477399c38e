import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** JSON in few bytes: a write is paid by the kilobyte. */
export const pack = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** What was packed; also what an older version kept as plain JSON text. */
export const unpack = <T>(packed: Uint8Array | string): T =>
  JSON.parse(typeof packed === 'string' ? packed : inflateRawSync(packed).toString());
