import type { AskedAgent } from '../../agent/session/shape-work.ts';

/** An entry of a report: an answer, or why there is none. */
export type Entry = { readonly answer: unknown } | { readonly error: string };

/** The entry of an agent. `otherwise` says why it was not asked. */
export const entryOf = (came: AskedAgent | undefined, otherwise: string): Entry => {
  if (!came) return { error: otherwise };
  return came.outcome === 'ok' ? { answer: asValue(came) } : { error: came.content };
};

/** An object that an agent answers with stays an object. A long one was cut, and is then text. */
function asValue({ content, json }: AskedAgent): unknown {
  if (!json) return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** Characters that an entry has at least, whatever the length of the report. */
const LEAST = 40;

/**
 * Entries that together have at most `chars` characters of JSON, if each has at least {@link LEAST}. The longest are cut, all at the
 * same length: a cut answer is text.
 */
export function fitted(entries: readonly Entry[], chars: number): { entries: readonly Entry[]; cut: number } {
  const sizes = entries.map((entry) => JSON.stringify(entry).length + 1);
  const most = capFor(sizes, chars);
  let cut = 0;
  const fit = entries.map((entry, i) => {
    if ((sizes[i] ?? 0) <= most) return entry;
    cut += 1;
    return shortened(entry, most);
  });
  return { entries: fit, cut };
}

/** The size to which the largest are cut, so that all fit. */
function capFor(sizes: readonly number[], chars: number): number {
  let left = chars;
  const rising = [...sizes].sort((a, b) => a - b);
  for (const [i, size] of rising.entries()) {
    const share = Math.floor(left / (rising.length - i));
    if (size > share) return Math.max(LEAST, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Characters of JSON around the text of an entry. */
const AROUND = 14;

function shortened(entry: Entry, most: number): Entry {
  const [key, value] =
    'error' in entry ? (['error', entry.error] as const) : (['answer', entry.answer] as const);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const room = Math.max(0, most - AROUND);
  // Escapes make the JSON longer than the text.
  let length = Math.min(text.length, room);
  while (length > 0 && JSON.stringify(text.slice(0, length)).length - 2 > room)
    length = Math.floor(length * 0.9);
  const kept = `${text.slice(0, length).toWellFormed()}…`;
  return key === 'error' ? { error: kept } : { answer: kept };
}

/** A text with at most so many characters, and a remark if it was cut. */
export const cutTo = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most).toWellFormed()}… [${text.length - most} more characters]`;
