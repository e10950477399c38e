/** Bytes of a body or an answer that count like a request: reading JSON of 64 KB takes about 1 ms. */
const BYTES = 64 * 1024;

/** The units of this many bytes, in a body or an answer. */
export const unitsOfBytes = (bytes: number): number => Math.floor(bytes / BYTES);
