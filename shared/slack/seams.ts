/**
 * How a text is continued in another message. Each message is Markdown of its own: what is open where the text is cut is
 * closed there, and opened again in the next message, so that both read as the whole does.
 *
 * S1. Quotes and lists are opened again on the first line: a list by its marker, in place of the indentation that belongs
 *     to it there. The lines after it stay as they were written.
 * S2. A fenced block is closed and opened again with the same fence. An indented block needs neither.
 * S3. A table is opened again with its header.
 * S4. Code whose own blanks a list's marker would take gets an invisible line before it.
 */

import {
  endOf,
  fenceOf,
  isClosed,
  isFenced,
  lineEnd,
  lineStart,
  type Node,
  parsed,
  spanning,
  startOf,
} from './tree.ts';

/** The text between two messages. */
export interface Seam {
  /** Ends the message before it. */
  readonly close: string;
  /** Begins the message after it. */
  readonly open: string;
  /** Characters of the text after it that `open` stands for. */
  readonly skip: number;
}

const NOTHING: Seam = { close: '', open: '', skip: 0 };

/** Characters of the line that opens a block again, which contains the language, and of a table's header. */
const MAX_INFO = 40;
const MAX_HEADER = 1_500;

/** The seam at `at`. */
export function seamAt(text: string, at: number): Seam {
  if (at <= 0 || at >= text.length) return NOTHING;
  const chain = spanning(text, at);
  const containers = containersOf(text, chain);
  const leaf = chain.find(({ type }) => isLeaf(type));
  const isLineStart = text[at - 1] === '\n';
  if (leaf?.type === 'code') return inCode(text, at, leaf, containers);
  if (leaf?.type === 'table') return { ...NOTHING, ...(isLineStart && inTable(text, leaf, containers)) };
  const next = nextAfter(text, at, chain.at(-1));
  if (!leaf && next?.type === 'code' && isPadded(containers) && needsRoom(text, next, containers))
    return { ...NOTHING, open: roomOf(containers) };
  const { open, skip } = openingsAt(text, at, containers, isLineStart);
  // A list's marker would take further blanks for its own.
  const rest = text.slice(at + skip, lineEnd(text, at + skip));
  const blanks = isPadded(containers) && next?.type !== 'code' ? blanksOf(rest) : 0;
  const isTitle = leaf?.type === 'heading' && text.startsWith('#', startOf(leaf)) && !isLineStart;
  return inProse(text, chain, isTitle ? `${open}${'#'.repeat(leaf.depth ?? 1)} ` : open, skip + blanks);
}

/** The text from `from` to `to` as a message of its own. */
export function excerpt(text: string, from: number, to: number): string {
  const { open, skip } = seamAt(text, from);
  return `${open}${text.slice(from + skip, to)}${seamAt(text, to).close}`;
}

export const isLeaf = (type: string): boolean =>
  type === 'code' || type === 'paragraph' || type === 'heading' || type === 'table' || type === 'html';

/** A quote or a list item that is open, with the columns of its marks. */
interface Container {
  /** Its opening mark, as wide as the text has it: `> `, `- `, `3.  `. */
  readonly mark: string;
  readonly isQuote: boolean;
}

function containersOf(text: string, chain: readonly Node[]): Container[] {
  const containers: Container[] = [];
  let outer = 0;
  for (const node of chain) {
    const start = startOf(node);
    const indent = Math.max(0, columnOf(text, start) - outer);
    if (node.type === 'blockquote') {
      containers.push({ mark: '> ', isQuote: true });
      outer = columnOf(text, start) + (/^[ \t]/.test(text.slice(start + 1, start + 2)) ? 2 : 1);
    } else if (node.type === 'listItem') {
      const marker = /^(?:[-*+]|\d{1,9}[.)])/.exec(text.slice(start, start + 10))?.[0] ?? '-';
      const after = start + marker.length;
      const blanks = /^[ \t]*/.exec(text.slice(after, lineEnd(text, after)))?.[0].length ?? 0;
      const space = columnOf(text, after + blanks) - columnOf(text, after);
      // Five blanks or more begin an indented block after the first of them; an empty line has one.
      const width = space < 1 || space > 4 || after + blanks === lineEnd(text, after) ? 1 : space;
      // Blanks before a marker belong to the marker of the item around it: they stand after it.
      const isInner = indent > 0 && indent + width <= 4;
      const mark = isInner
        ? marker + ' '.repeat(indent + width)
        : ' '.repeat(indent) + marker + ' '.repeat(width);
      containers.push({ mark, isQuote: false });
      outer = columnOf(text, after) + width;
    }
  }
  return containers;
}

/** The first line of the next message, up to its words: what the text itself has there is kept. */
function openingsAt(text: string, at: number, containers: readonly Container[], isLineStart: boolean) {
  let open = '';
  let done = at;
  for (const { mark, isQuote } of containers) {
    const rest = text.slice(done, lineEnd(text, done));
    const own = isLineStart && isQuote ? /^ {0,3}>[ ]?/.exec(rest)?.[0] : undefined;
    open += own ?? mark;
    done += own?.length ?? (isLineStart && !isQuote ? Math.min(blanksOf(rest), mark.length) : 0);
  }
  return { open, skip: done - at };
}

const blanksOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

const isPadded = (containers: readonly Container[]): boolean => containers.at(-1)?.isQuote === false;

/** An invisible line that is not empty. */
const UNSEEN = '\u200b';

/** Whether code that begins a list item would lose blanks to its marker, or the item would begin further right. */
function needsRoom(text: string, code: Node, containers: readonly Container[]): boolean {
  if (!isFenced(text.slice(startOf(code)))) return / {2}$/.test(containers.at(-1)?.mark ?? '');
  return columnOf(text, startOf(code)) > continued(containers).length;
}

const roomOf = (containers: readonly Container[]): string =>
  `${containers.map(({ mark }) => mark).join('')}${UNSEEN}\n${continued(containers).trimEnd()}\n`;

/** The block that begins in this line. */
function nextAfter(text: string, at: number, within: Node = parsed(text)): Node | undefined {
  const next = within.children?.find((child) => lineStart(text, startOf(child)) === at);
  return next && !isLeaf(next.type) ? nextAfter(text, at, next) : next;
}

/** The marks and blanks before the words of later lines. */
const continued = (containers: readonly Container[]): string =>
  containers.map(({ mark, isQuote }) => (isQuote ? mark : ' '.repeat(mark.length))).join('');

function inCode(text: string, at: number, code: Node, containers: readonly Container[]): Seam {
  const written = text.slice(startOf(code), endOf(code));
  const isLineStart = text[at - 1] === '\n';
  const before = continued(containers);
  const isRoomy = isPadded(containers) && needsRoom(text, code, containers);
  if (!isFenced(written)) {
    if (isRoomy) return { ...NOTHING, open: roomOf(containers) + (isLineStart ? '' : `${before}    `) };
    const { open, skip } = openingsAt(text, at, containers, isLineStart);
    return { close: '', open: isLineStart ? open : `${open}    `, skip };
  }
  const indent = ' '.repeat(Math.max(0, columnOf(text, startOf(code)) - before.length)).slice(0, 3);
  const fence = fenceOf(written);
  const close = `${isLineStart ? '' : '\n'}${before}${indent}${fence}`;
  // Only the closing fence is left of the block: the next message begins after it.
  if (isLineStart && isClosed(written) && lineEnd(text, at) >= endOf(code)) {
    const next = Math.min(text.length, lineEnd(text, at) + 1);
    const { open, skip } = seamAt(text, next);
    return { close, open, skip: next - at + skip };
  }
  const info = text.slice(startOf(code) + fence.length, lineEnd(text, startOf(code)));
  const marks = isRoomy ? roomOf(containers) + before : containers.map(({ mark }) => mark).join('');
  const line = `${marks}${indent}${fence}${info.trim().slice(0, MAX_INFO).toWellFormed()}\n`;
  return { close, open: isLineStart ? line : line + before + indent, skip: 0 };
}

function inTable(text: string, table: Node, containers: readonly Container[]): Partial<Seam> {
  const start = startOf(table);
  const end = lineEnd(text, start);
  const header = text.slice(start, end);
  const delimiter = /[|:\-\s]+$/.exec(text.slice(end + 1, lineEnd(text, end + 1)))?.[0].trim() ?? '';
  if (header.length + delimiter.length > MAX_HEADER) return {};
  const marks = containers.map(({ mark }) => mark).join('');
  return { open: `${marks}${header}\n${continued(containers)}${delimiter}\n` };
}

/** Inline code that had to be cut is closed and opened again. */
function inProse(text: string, chain: readonly Node[], open: string, skip: number): Seam {
  const code = chain.find(({ type }) => type === 'inlineCode');
  const ticks = code ? (/^`+/.exec(text.slice(startOf(code)))?.[0] ?? '') : '';
  return { close: ticks, open: open + ticks, skip };
}

/** The column of a character in its line: a tab leads to the next multiple of four. */
function columnOf(text: string, at: number): number {
  let column = 0;
  for (let i = lineStart(text, at); i < at; i++) column += text[i] === '\t' ? 4 - (column % 4) : 1;
  return column;
}
