/**
 * A credential as a header takes it: without the line break that an editor has left at its end. Throws without its words for one that
 * no header takes: the platform's own error would quote it, to people and into logs.
 */
export function inHeader(credential: string, whose: string): string {
  const value = credential.trim();
  if (!/^[\t\x20-\x7e]+$/.test(value))
    throw new Error(`${whose} cannot stand in a header: it must be one line of ASCII`);
  return value;
}
