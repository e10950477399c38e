/** Characters that a name has at most. */
const MAX_NAME = 80;

/**
 * A name from outside as one short line: without what could end the line in which it stands, or be taken for a part of it, and without
 * characters that change the direction of text or cannot be seen.
 */
export const plainName = (text: string, most = MAX_NAME): string =>
  text
    .slice(0, 4 * most)
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}[\]()<>{}"“”]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
    .trim();
