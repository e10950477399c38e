/** The tree that a CommonMark parser reads in a text, with the tables of GitHub's Markdown (github.github.com/gfm, "Tables"). */

import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** A node of the parser's tree, with the fields that are used. */
export interface Node {
  readonly type: string;
  readonly position?: { readonly start: { offset?: number }; readonly end: { offset?: number } } | undefined;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly url?: string;
  readonly alt?: string | null | undefined;
  readonly ordered?: boolean | null | undefined;
  /** Level of a heading. */
  readonly depth?: number;
}

/**
 * Levels of quotes, lists and marks that are read as such; deeper ones are words. More would be too many for the stack.
 */
export const MAX_DEPTH = 100;

/** The marks beyond this many at the start of a line. */
export const TOO_DEEP = /(?<=^[ \t>*+\-\d.)]{200})[ \t>*+\-\d.)]+/m;

/** Trees that are kept: one text is asked about several times in a row. */
const KEPT = 8;
const kept = new Map<string, Node>();

/**
 * The tree of a text. A line that opens absurdly many quotes and lists takes the parser seconds: the excess marks are
 * read as words, with the same number of characters, so that positions stay.
 */
export function parsed(markdown: string): Node {
  const known = kept.get(markdown);
  if (known) return known;
  const tree: Node = fromMarkdown(
    markdown.replaceAll(new RegExp(TOO_DEEP, 'gm'), (marks) => 'x'.repeat(marks.length)),
    { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] },
  );
  kept.set(markdown, tree);
  for (const [oldest] of kept) if (kept.size > KEPT) kept.delete(oldest);
  return tree;
}

export const startOf = ({ position }: Node): number => position?.start.offset ?? 0;
export const endOf = ({ position }: Node): number => position?.end.offset ?? 0;

/** Whether a code block stands between fences; otherwise it is indented. `written` is its source. */
export const isFenced = (written: string): boolean => /^(?:```|~~~)/.test(written);

/** The characters that open a fence. */
export const fenceOf = (written: string): string => /^(?:`{3,}|~{3,})/.exec(written)?.[0] ?? '';

/** Whether a fenced block has its closing fence; one that is still written, or is cut off, has none. */
export function isClosed(written: string): boolean {
  const fence = fenceOf(written);
  const last = written.slice(written.lastIndexOf('\n') + 1);
  const closing = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(last)?.[1] ?? '';
  return written.includes('\n') && closing[0] === fence[0] && closing.length >= fence.length;
}

/** The nodes that `at` is in the middle of, from the outermost to the innermost. */
export function spanning(text: string, at: number): readonly Node[] {
  const chain: Node[] = [];
  const inner = ({ children = [] }: Node): Node | undefined =>
    children.find((child) => startOf(child) < at && at < endOf(child));
  for (let node = inner(parsed(text)); node && chain.length < MAX_DEPTH; node = inner(node)) chain.push(node);
  return chain;
}

/** Whether `at` is in a code block. The end of the text is in one that has no closing fence. */
export function isInCode(text: string, at: number): boolean {
  if (at < text.length) return spanning(text, at).some(({ type }) => type === 'code');
  for (let node: Node | undefined = parsed(text); node; node = node.children?.at(-1)) {
    if (node.type !== 'code') continue;
    const written = text.slice(startOf(node), endOf(node));
    return isFenced(written) && !isClosed(written);
  }
  return false;
}

/** Where the line that `at` is in begins, and where it ends. */
export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
export const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/**
 * Whether marks stand within a word: a parser makes italics of `2*3*4`, `/a_b*c*d` and `x**2 + y**2`, which is never meant.
 * (Scripts without spaces between words are not meant: their marks are.)
 */
export const isWithinWord = (text: string, at: number, length: number): boolean =>
  /[A-Za-z0-9/._)\]]/.test(text[at - 1] ?? '') && /[A-Za-z0-9/._([]/.test(text[at + length] ?? '');

/** Whether bold or italics begin in the middle of a word. */
export function beginsWithinWord(text: string, node: Node): boolean {
  const [first] = node.children ?? [];
  return first !== undefined && isWithinWord(text, startOf(node), startOf(first) - startOf(node));
}
