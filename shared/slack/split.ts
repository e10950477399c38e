/** Where a long text is cut into messages, and how far a text that still grows may be shown. */

/**
 * The end of a message that begins at `from`: as far as it can be sent, cut as by {@link cutAt}.
 *
 * @param most characters above which it need not be tried
 * @param fits whether the text up to there can be sent: its size is that of the message made of it
 * @param least as of {@link cutAt}
 */
export function cutWhere(
  text: string,
  from: number,
  most: number,
  fits: (to: number) => boolean,
  least = from,
): number {
  if (text.length - from <= most && fits(text.length)) return text.length;
  let room = Math.max(1, least - from);
  for (let high = Math.max(room, Math.min(most, text.length - from)); room < high; ) {
    const middle = Math.ceil((room + high) / 2);
    if (fits(from + middle)) room = middle;
    else high = middle - 1;
  }
  // The text that closes a cut, and the form that a link gets, may take more room than the cut saves.
  for (; room > 1; room--) {
    const to = Math.max(least, cutAt(text, from, room, least));
    if (to <= Math.max(least, from + 1) || fits(to)) return Math.max(to, afterCharacter(text, from));
    room = Math.min(room, to - from);
  }
  return Math.max(least, afterCharacter(text, from));
}

/**
 * The end of a message that begins at `from` and shows at most `limit` characters. It is the end of a paragraph, line,
 * sentence or word in the second half, or else in the middle of a word; never in the middle of a character.
 *
 * @param least not before this: it has been shown already
 */
export function cutAt(text: string, from: number, limit: number, least = from): number {
  const last = from + limit;
  if (text.length <= last) return text.length;
  const lowest = Math.max(least, from + Math.floor(limit / 2));
  for (const mark of ['\n\n', '\n', '. ', ' ']) {
    const at = text.lastIndexOf(mark, last - mark.length);
    if (at + mark.length > lowest) return at + mark.length;
  }
  return betweenCharacters(text, last, lowest);
}

/** Maximum number of code units by which a cut is moved back: the longest family of emoji has 11. */
const MOVED_BACK = 16;

/** `at`, or the beginning of the character that contains it: accents and joined emoji belong to what is before them. */
function betweenCharacters(text: string, at: number, lowest: number): number {
  for (let back = at; back > lowest && back > at - MOVED_BACK; back--) {
    const inPair = isHighSurrogate(text, back - 1);
    const joined = text[back - 1] === '\u200d' || JOINS.test(text.slice(back, back + 2));
    if (!inPair && !joined) return back;
  }
  return isHighSurrogate(text, at - 1) ? at - 1 : at;
}

/** A character that is drawn together with the one before it. */
const JOINS = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u;

const afterCharacter = (text: string, from: number): number =>
  Math.min(text.length, from + (isHighSurrogate(text, from) ? 2 : 1));

/** The line that opened the code block that `at` is in; undefined outside of one. */
export function fenceAt(text: string, at: number): string | undefined {
  let open: string | undefined;
  for (const [line] of text.slice(0, at).matchAll(/^ {0,3}```[^\n]*/gm))
    open = open === undefined ? line : undefined;
  return open;
}

/** The text from `from` to `to` as a message of its own: a code block that is cut is closed, and opened again. */
export function excerpt(text: string, from: number, to: number): string {
  return `${opening(text, from)}${text.slice(from, to)}${to < text.length ? closing(text, to) : ''}`;
}

/** Reopens, at the start of a message, the code block that was cut there. */
export const opening = (text: string, at: number): string => {
  const fence = at === 0 ? undefined : fenceAt(text, at);
  return fence === undefined ? '' : `${fence.trim().slice(0, FENCE).toWellFormed()}\n`;
};

/** Characters of the line that reopens a code block: it contains the language. */
const FENCE = 40;

/** Closes, at the end of a message, the code block that is cut there. */
export const closing = (text: string, at: number): string => {
  if (fenceAt(text, at) === undefined) return '';
  return text[at - 1] === '\n' ? '```' : '\n```';
};

/** Characters after which an unclosed construct is shown as it is. */
const PATIENCE = 400;

/**
 * How far a growing text may be shown: later text cannot change how that part reads. It ends after a space or a line,
 * and not inside a link or inline code that may still be closed.
 */
export function settledEnd(text: string, from: number): number {
  const space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  const end = space <= from && text.length - from > PATIENCE ? text.length : Math.max(space, from);
  if (fenceAt(text, end) !== undefined) return end;
  const lineStart = Math.max(from, text.lastIndexOf('\n', end - 1) + 1);
  const line = text.slice(lineStart, end);
  const opened = Math.min(...[openLink(line), openCode(line)].filter((at) => at >= 0), line.length);
  return line.length - opened > PATIENCE ? end : lineStart + opened;
}

/** The beginning of a link whose end is not there yet, or -1. */
function openLink(line: string): number {
  for (let at = line.indexOf('['); at >= 0; ) {
    const words = closeOf(line, at, '[', ']');
    // The characters after the words decide whether they are a link's.
    const isWhole = words >= 0 && words + 1 < line.length;
    const end = isWhole && line[words + 1] === '(' ? closeOf(line, words + 1, '(', ')') : words;
    if (!isWhole || end < 0) return line[at - 1] === '!' ? at - 1 : at;
    at = line.indexOf('[', end + 1);
  }
  return -1;
}

/** Where the bracket that opens at `from` closes, after those within it; or -1. */
function closeOf(line: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === open) depth++;
    else if (line[at] === close && --depth === 0) return at;
  }
  return -1;
}

function openCode(line: string): number {
  const marks = line.split('`').length - 1;
  return marks % 2 === 1 ? line.lastIndexOf('`') : -1;
}

const isHighSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
};
