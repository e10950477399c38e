import { plain } from './plain.ts';

/** Verbatim text. */
export const Block = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: overflowing text is scrolled by keys
  <pre tabIndex={0} className="block">
    {plain(text)}
  </pre>
);

/** JSON over several lines; any other text as it is. */
export function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
