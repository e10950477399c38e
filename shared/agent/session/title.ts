import { MAX_TITLE } from '../../contract/listing.ts';

/** The first line of a text, as a title. */
export function titleOf(text: string): string {
  const line = (text.trim().split('\n', 1)[0] ?? '').trimEnd();
  return line.length <= MAX_TITLE
    ? line
    : `${line
        .slice(0, MAX_TITLE - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
