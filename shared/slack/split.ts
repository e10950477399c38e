/** Where a long text is cut into messages, and how far a text that still grows may be shown. */

import { isLeaf, seamAt } from './seams.ts';
import {
  endOf,
  isClosed,
  isFenced,
  isInCode,
  lineEnd,
  lineStart,
  MAX_DEPTH,
  type Node,
  parsed,
  spanning,
  startOf,
} from './tree.ts';

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
 * The end of a message that begins at `from` and shows at most `limit` characters. It is in the second half: between
 * blocks that stand by themselves, between blocks of a list or a quote, between lines, sentences or words, in this order;
 * or else in the middle of a word, and never in the middle of a character.
 *
 * @param least not before this: it has been shown already
 */
export function cutAt(text: string, from: number, limit: number, least = from): number {
  const last = from + limit;
  if (text.length <= last) return text.length;
  const lowest = Math.max(least, from + Math.floor(limit / 2));
  const first = Math.max(least, from);
  return (
    betweenBlocks(text, lowest, last) ??
    betweenLines(text, lowest, last) ??
    // Code and rows are not cut in the middle of a line, if the message has any other place.
    (isInLines(text, last)
      ? (betweenLines(text, first, lowest) ?? betweenBlocks(text, first, lowest))
      : undefined) ??
    betweenWords(text, lowest, last)
  );
}

/** The last place between blocks, if possible of the text itself, and not of a list or a quote in it. */
function betweenBlocks(text: string, lowest: number, last: number): number | undefined {
  const among = ({ children = [] }: Node): number | undefined => {
    const starts = children.map((child) => lineStart(text, startOf(child)));
    return starts.findLast((at) => at > lowest && at <= last);
  };
  const within = (node: Node, depth: number): number | undefined => {
    const containers = (node.children ?? []).filter(
      (child) => isContainer(child) && startOf(child) < last && endOf(child) > lowest,
    );
    const ends = containers.map((child) => {
      const deeper = depth < MAX_DEPTH ? within(child, depth + 1) : undefined;
      return Math.max(among(child) ?? 0, deeper ?? 0);
    });
    const end = Math.max(0, ...ends);
    return end > 0 ? end : undefined;
  };
  const tree = parsed(text);
  return among(tree) ?? within(tree, 0);
}

const isInLines = (text: string, at: number): boolean =>
  spanning(text, at).some(({ type }) => type === 'code' || type === 'table');

const isContainer = ({ type }: Node): boolean =>
  type === 'blockquote' || type === 'list' || type === 'listItem';

/** The last line in the window at which the next message may begin. */
function betweenLines(text: string, lowest: number, last: number): number | undefined {
  for (let at = lineStart(text, last + 1); at > lowest; at = lineStart(text, at - 1))
    if (at <= last && mayBegin(text, at)) return at;
  return undefined;
}

/** Whether a message may begin with this line: it reads as the same there. */
function mayBegin(text: string, at: number): boolean {
  const leaf = spanning(text, at).find(({ type }) => isLeaf(type));
  const line = text.slice(at, lineEnd(text, at));
  switch (leaf?.type) {
    case undefined:
      return !isEmpty(line);
    case 'code': {
      const written = text.slice(startOf(leaf), endOf(leaf));
      // Empty lines at the ends of an indented block are none of it.
      if (!isFenced(written)) return !isEmpty(line) && !isEmpty(text.slice(lineStart(text, at - 1), at));
      const isFirst = lineEnd(text, startOf(leaf)) + 1 === at;
      const isLast = isClosed(written) && lineEnd(text, at) >= endOf(leaf);
      return !isFirst && !isLast;
    }
    case 'table':
      return at > lineEnd(text, lineEnd(text, startOf(leaf)) + 1);
    case 'html':
      return false;
    default:
      return isProse(text, at);
  }
}

/** Whether a line is empty, within the quotes that it is in. */
const isEmpty = (line: string): boolean => /^[\s>]*$/.test(line);

/** Whether the rest of the line reads as words, and not as the beginning of a list, of code or of a quote. */
function isProse(text: string, at: number): boolean {
  const { open, skip } = seamAt(text, at);
  let node: Node | undefined = parsed(`${open}${text.slice(at + skip, lineEnd(text, at))}`);
  const containers = spanning(text, at).filter(({ type }) => isNested(type)).length;
  let nested = 0;
  while (node && !isLeaf(node.type)) {
    if (isNested(node.type)) nested += 1;
    node = node.children?.[0];
  }
  return (node?.type === 'paragraph' || node?.type === 'heading') && nested === containers;
}

const isNested = (type: string): boolean => type === 'blockquote' || type === 'listItem';

/** Marks that a cut may not be in the middle of, unless they are longer than a message; and those that it avoids. */
const WHOLE: ReadonlySet<string> = new Set(['inlineCode', 'link', 'image', 'html', 'table', 'code']);
const MARKED: ReadonlySet<string> = new Set(['strong', 'emphasis']);

function betweenWords(text: string, lowest: number, last: number): number {
  for (const avoids of [[WHOLE, MARKED], [WHOLE]])
    for (const mark of ['. ', ' '])
      for (let at = text.lastIndexOf(mark, last - mark.length); at + mark.length > lowest; ) {
        const end = at + mark.length;
        const chain = spanning(text, end);
        const isWhole =
          chain.some(({ type }) => isLeaf(type)) &&
          !chain.some(({ type }) => avoids.some((some) => some.has(type)));
        if (isWhole && isProse(text, end)) return end;
        if (at === 0) break;
        at = text.lastIndexOf(mark, at - 1);
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

/** Characters after which an unclosed construct is shown as it is. */
const PATIENCE = 400;

/**
 * How far a growing text may be shown: later text cannot change how that part reads. It ends after a space or a line,
 * and not inside a link or inline code that may still be closed.
 */
export function settledEnd(text: string, from: number): number {
  const space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  const end = space <= from && text.length - from > PATIENCE ? text.length : Math.max(space, from);
  if (isInCode(text.slice(0, end), end)) return end;
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
