/** Characters that a name may have. */
const MAX_NAME = 80;

/**
 * A name from outside as one short line: without anything that could end the line it stands in or be taken for a part of it, and
 * without invisible characters or ones that change the direction of text.
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
