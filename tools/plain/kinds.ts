/** File types by their first bytes, whatever the file's name says. */
const KINDS: readonly (readonly [type: string, at: number, bytes: readonly number[]])[] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
  ['application/pdf', 0, [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['application/zip', 0, [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', 0, [0x1f, 0x8b]],
];

/** The media type that the bytes begin with; undefined if it is not one of those above. */
export const kindOf = (bytes: Uint8Array): string | undefined =>
  KINDS.find(([, at, begins]) => begins.every((byte, i) => bytes[at + i] === byte))?.[0];

/** `812 bytes`, `3.1 KB`, `4.0 MB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
