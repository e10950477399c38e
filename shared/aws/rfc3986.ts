/**
 * Escapes everything except letters, digits and `-_.~` (RFC 3986, section 2.3). Signature Version 4 requires it of the keys of S3
 * and of queries: a server escapes what it received in the same way and compares, so one character that a client leaves
 * as it is makes the signature wrong.
 */
export const rfc3986 = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The same for each segment of a path. */
export const rfc3986Path = (path: string): string => path.split('/').map(rfc3986).join('/');
