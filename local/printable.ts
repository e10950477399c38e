export { printable } from '../shared/contract/printable.ts';

/** Lines of at most `width` characters. A continuation is marked, so that it cannot pass for a line of its own. */
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
