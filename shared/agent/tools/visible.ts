/**
 * Text that a person decides by, without anything that looks like something else: characters that are invisible, change the
 * reading direction, end a line or hide behind a neighbour are escaped, `\u{202e}`. Letters of any script stay.
 */

import { defined } from '../plain/defined.ts';
import { byteLength } from '../plain/utf8.ts';

/**
 * Control, format, private and unassigned characters, lone surrogates; characters that Unicode allows to be drawn as nothing
 * (zero width, fillers, variation selectors, tags); ends of lines; blank Braille; marks that cross out or enclose a letter.
 */
const ODD = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\p{Me}]|[\u0334-\u0338]|(?! )\p{Zs}/u;
const MARK = /\p{M}/u;
const LETTER = /\p{L}/u;
/** Marks on one letter. Scripts need up to three or four; more of them cover the lines above and below. */
const MAX_MARKS = 4;
/** Spaces in a row. More of them push what follows out of sight. */
const MAX_SPACES = 3;
/** In code, where lines are indented. */
const MAX_INDENT = 40;

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A text, cut to the room for it. */
export interface Shown {
  readonly text: string;
  /** Characters of the original that it shows, and whether these are all. */
  readonly characters: number;
  readonly whole: boolean;
}

export interface Showing {
  /** Bytes of UTF-8 that the shown text may have. */
  readonly room?: number;
  /** Characters that are escaped besides the odd ones, because they have a meaning where the text will stand. */
  readonly also?: RegExp;
  /** Keeps ends of lines: the text stands alone. */
  readonly lines?: boolean;
  /** Lines of code: keeps their ends and their indentation. */
  readonly code?: boolean;
}

/** The text, with odd characters escaped, up to `room` bytes. */
export function visible(
  text: string,
  { room = Number.POSITIVE_INFINITY, also, code = false, lines = code }: Showing = {},
): Shown {
  let shown = '';
  let characters = 0;
  let left = room;
  let onLetter = false;
  let run = 0;
  for (const char of text) {
    const marks = MARK.test(char);
    run = marks || char === ' ' ? run + 1 : 0;
    const hides =
      (marks && (!onLetter || run > MAX_MARKS)) ||
      (char === ' ' && run > (code ? MAX_INDENT : MAX_SPACES)) ||
      ODD.test(char);
    const kept = (lines && char === '\n') || (code && char === '\t');
    const piece = (hides && !kept) || also?.test(char) ? escaped(char) : char;
    left -= byteLength(piece);
    if (left < 0) return { text: shown, characters, whole: false };
    shown += piece;
    characters += char.length;
    if (!marks) onLetter = LETTER.test(char);
  }
  return { text: shown, characters, whole: true };
}

const escaped = (char: string): string => {
  if (char === '"' || char === '\\') return `\\${char}`;
  return named.get(char) ?? `\\u{${char.codePointAt(0)?.toString(16)}}`;
};

/** Inside of quotes: characters that would end them, or look like an escape. */
const QUOTED = /["\\]/;
/** In names: everything except ASCII too, since letters of other scripts look like those of another name. */
const QUOTED_ASCII = /["\\]|[^ -~]/u;

/** The text in quotes. The quotes are not part of the room. */
export const quoted = (text: string, room?: number): Shown => inQuotes(text, QUOTED, room);

/** A name in quotes, in ASCII. */
export const quotedName = (text: string, room?: number): Shown => inQuotes(text, QUOTED_ASCII, room);

function inQuotes(text: string, also: RegExp, room: number | undefined): Shown {
  const shown = visible(text, { also, ...defined({ room }) });
  return { ...shown, text: `"${shown.text}"` };
}
