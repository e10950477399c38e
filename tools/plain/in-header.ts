/**
 * A credential in the form that a header takes: without the line break that an editor has left at its end. Throws for
 * an invalid one, without quoting it: the platform's own error would quote it, to people and into logs.
 */
export function inHeader(credential: string, whose: string): string {
  const value = credential.trim();
  if (!/^[\t\x20-\x7e]+$/.test(value))
    throw new Error(`${whose} cannot stand in a header: it must be one line of ASCII`);
  return value;
}
