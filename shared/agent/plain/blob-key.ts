/**
 * The key of a blob, built from its parts in order; the first names the tenant. Each part stays one segment, whatever it holds:
 * ids from outside may contain slashes and dots, and a key becomes the path of a URL.
 */
export const blobKey = (...parts: readonly string[]): string => parts.map(segment).join('/');

/** Escapes everything except letters, digits and `#-_.!~*'()`, and segments that consist only of dots. */
function segment(part: string): string {
  const escaped = encodeURIComponent(part.toWellFormed()).replaceAll('%23', '#');
  if (escaped === '') return '%';
  return /^\.+$/.test(escaped) ? escaped.replaceAll('.', '%2E') : escaped;
}

/** Throws if the key, as the path of a URL, would name another object: then it was not built with {@link blobKey}. */
export function assertBlobKey(key: string): void {
  if (key.split('/').some((name) => name === '' || name === '.' || name === '..')) {
    throw new Error('a key of a blob has a segment that is empty, "." or "..": build it with blobKey');
  }
}
