/**
 * Text from outside, made safe for a terminal: without control sequences (colours, titles, the clipboard, cursor moves) and
 * without characters that change the direction of a line. Line ends and tabs stay.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '');
