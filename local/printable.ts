/**
 * Text of others, for a terminal: without what would steer it (colours, titles, the clipboard, moves of the cursor) or turn
 * the direction of a line. Ends of lines and tabs stay.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '');

/** Lines of at most `width` characters; what continues a line is marked, so that it cannot pass for one of its own. */
export function wrapped(text: string, width: number): string[] {
  const most = Math.max(20, width);
  return text.split('\n').flatMap((line) => {
    const characters = Array.from(line);
    const count = Math.max(1, Math.ceil(characters.length / most));
    return Array.from({ length: count }, (_, i) => {
      const piece = characters.slice(i * most, (i + 1) * most).join('');
      return i === 0 ? piece : `↪ ${piece}`;
    });
  });
}
