import { fromMarkdown } from 'mdast-util-from-markdown';
import { LINK } from './markdown.ts';
import { opening } from './split.ts';

/**
 * What the model writes, as the Markdown that Slack's streams take.
 *
 * M1. No `<!` and no `<@` goes out, in whatever form Markdown knows them, but for the `<@U…>` of a person in prose: a
 *     space of no width stands between the two characters. Code is no exception, since what is code is for Slack to say.
 * M2. A link is shown as code: streams cannot be told not to unfurl (docs/slack.md, "Links").
 * M3. Code is what a CommonMark parser takes for code, in all that the message says so far.
 */

/**
 * A message's text from `from` to `to`, to be appended to what the message shows of it already.
 *
 * @param start where the message begins in the text: a code block that was cut there is opened again
 */
export function streamPiece(text: string, start: number, from: number, to: number): string {
  const head = opening(text, start);
  const rendered = toStreamMarkdown(
    head + text.slice(start, to),
    from === start ? 0 : head.length + from - start,
  );
  const before = text.slice(start, from);
  const joins =
    (mayOpen.test(before) && /^\S/.test(rendered)) || (/\S$/.test(before) && rendered.startsWith('`'));
  return joins ? `${GAP}${rendered}` : rendered;
}

/** Markdown for a stream, from `from` on. What stands before it says only how to read it. */
export function toStreamMarkdown(markdown: string, from = 0): string {
  const code = codeIn(markdown);
  const tick = freeTick(withoutCode(markdown, code));
  let done = from;
  let shown = '';
  const show = (end: number, render: (piece: string) => string) => {
    if (end <= done) return;
    const piece = render(markdown.slice(done, end));
    shown += shown.endsWith('`') && piece.startsWith('`') ? `${GAP}${piece}` : piece;
    done = end;
  };
  const prose = (piece: string) => silentButPeople(quietLinks(piece, tick));
  for (const [start, end] of code) {
    show(start, prose);
    show(end, silent);
  }
  show(markdown.length, prose);
  return shown;
}

/** A space of no width. */
const GAP = '\u200b';

/** Everything that Markdown reads as `<`, and as `!` or `@`. */
const OPEN = '(?:<|&lt;|&LT;|&#0*60;|&#[xX]0*3[cC];)';
const CALL = '(?:\\\\?[!@]|&excl;|&commat;|&#0*(?:33|64);|&#[xX]0*(?:21|40);)';
const call = new RegExp(`(${OPEN})(?=${CALL})`, 'g');
const callOfNobody = new RegExp(`(${OPEN})(?!(?<=<)@[UW][A-Z0-9]{1,31}>)(?=${CALL})`, 'g');
/** The end of a text that may be the first half of a call. */
const mayOpen = /(?:<|&[#\w]{0,12};?)\\?(?:&[#\w]{0,12})?$/;

const silent = (text: string): string => text.replaceAll(call, `$1${GAP}`);
const silentButPeople = (text: string): string => text.replaceAll(callOfNobody, `$1${GAP}`);

type Range = readonly [start: number, end: number];

/** Where there is code, in order: fenced blocks and inline. Indented blocks, which a cut may make, are read as prose. */
function codeIn(markdown: string): Range[] {
  const found: Range[] = [];
  const visit = (node: Node): void => {
    const { start, end } = node.position ?? {};
    const fenced = node.type === 'code' && /^(?:```|~~~)/.test(markdown.slice(start?.offset));
    if (fenced || node.type === 'inlineCode') found.push([start?.offset ?? 0, end?.offset ?? 0]);
    for (const child of node.children ?? []) visit(child);
  };
  visit(fromMarkdown(markdown));
  return found;
}

/** What is looked at of a node of the parser's tree. */
interface Node {
  readonly type: string;
  readonly position?: { readonly start: { offset?: number }; readonly end: { offset?: number } };
  readonly children?: readonly Node[];
}

/** @param tick more backticks than stand anywhere else in a row: they begin no code and end none but ours */
function quietLinks(text: string, tick: string): string {
  const url = /(.?)((?:https?:\/\/|www\.)[^\s<>`]+)(?=(.?))/gs;
  return text
    .replaceAll(LINK, (_all, label: string, target: string) =>
      label.trim() === '' || label === target ? target : `${label} (${target})`,
    )
    .replaceAll(url, (_all, before: string, address: string, after: string) => {
      const tail = /[).,;:!?'"*_\]\\]*$/.exec(address)?.[0] ?? '';
      const code = `${tick}${address.slice(0, address.length - tail.length)}${tick}`;
      return `${before}${gapBeside(before)}${code}${gapBeside(tail || after)}${tail}`;
    });
}

const gapBeside = (neighbour: string): string => (/^[`\\]/.test(neighbour) ? GAP : '');

const withoutCode = (markdown: string, code: readonly Range[]): string =>
  code.reduceRight((text, [start, end]) => `${text.slice(0, start)} ${text.slice(end)}`, markdown);

const freeTick = (markdown: string): string =>
  '`'.repeat(1 + Math.max(0, ...(markdown.match(/`+/g) ?? []).map(({ length }) => length)));
