/**
 * The key of a blob, of its parts in order; the first names the tenant. Whatever a part holds, it stays one segment: ids
 * that others have made may have slashes and dots, and a key becomes the path of a URL.
 */
export const blobKey = (...parts: readonly string[]): string => parts.map(segment).join('/');

/** What is no letter, digit or `#-_.!~*'()` is escaped, and so is a segment of nothing but dots. */
function segment(part: string): string {
  const escaped = encodeURIComponent(part.toWellFormed()).replaceAll('%23', '#');
  if (escaped === '') return '%';
  return /^\.+$/.test(escaped) ? escaped.replaceAll('.', '%2E') : escaped;
}

/** Throws on a key that, as the path of a URL, would name another object: then somebody has built it without {@link blobKey}. */
export function assertBlobKey(key: string): void {
  if (key.split('/').some((name) => name === '' || name === '.' || name === '..')) {
    throw new Error('a key of a blob has a segment that is empty, "." or "..": build it with blobKey');
  }
}
