import { seamAt } from './seams.ts';
import { beginsWithinWord, endOf, isWithinWord, MAX_DEPTH, type Node, parsed, startOf } from './tree.ts';

/**
 * Converts the model's Markdown to the Markdown that Slack's streams take.
 *
 * M1. No `<!` and no `<@` goes out, in whatever form Markdown knows them, except the `<@U…>` of a person in prose: a
 *     zero-width space is put between the two characters. Code is no exception, since Slack decides what is code.
 * M2. A link is shown as code, because unfurling cannot be switched off for streams (docs/slack.md, "Links").
 * M3. Code is what a CommonMark parser takes for code, in everything that the message says so far.
 */

/**
 * A message's text from `from` to `to`, to be appended to what the message already shows.
 *
 * @param start where the message begins in the text: a code block that was cut there is opened again
 */
export function streamPiece(text: string, start: number, from: number, to: number): string {
  const { open, skip } = seamAt(text, start);
  const rendered = toStreamMarkdown(
    open + text.slice(start + skip, to),
    from === start ? 0 : Math.max(open.length, open.length + from - start - skip),
  );
  const before = text.slice(start, from);
  const joins =
    (mayOpen.test(before) && /^\S/.test(rendered)) || (/\S$/.test(before) && rendered.startsWith('`'));
  return joins ? `${GAP}${rendered}` : rendered;
}

/** Markdown for a stream, from `from` on. The text before it only says how to read it. */
export function toStreamMarkdown(markdown: string, from = 0): string {
  const tree = parsed(markdown);
  const tick = freeTick(withoutCode(markdown, codeIn(tree)));
  return quiet(tree, { markdown, from, tick, marks: marksIn(tree, markdown) });
}

/** Markdown for a message that is posted or updated: links stay, since Slack is told not to fetch them. Images are links. */
export function toPostMarkdown(markdown: string): string {
  const tree = parsed(markdown);
  return quiet(tree, { markdown, from: 0, marks: marksIn(tree, markdown) });
}

interface Streaming {
  readonly markdown: string;
  readonly from: number;
  /**
   * More backticks than stand anywhere else in a row: they begin no code, and only our own end it. Undefined where links
   * stay links.
   */
  readonly tick?: string;
  /** Where marks end that begin outside of words. */
  readonly marks: ReadonlySet<number>;
}

/** The text that a node shows from `from` on. */
function quiet(node: Node, how: Streaming): string {
  const { markdown, tick } = how;
  let done = Math.max(how.from, startOf(node));
  let shown = '';
  const show = (end: number, render: (piece: string) => string) => {
    if (end <= done) return;
    const piece = render(markdown.slice(done, end));
    // Brackets between the two were removed.
    const joins =
      (shown.endsWith('`') && piece.startsWith('`')) || (mayOpen.test(shown) && /^\S/.test(piece));
    shown += joins ? `${GAP}${piece}` : piece;
    done = end;
  };
  const prose = (piece: string) => {
    const plain = asWritten(markdown, done, piece, how.marks);
    return silentButPeople(tick === undefined ? plain : quietLinks(plain, tick));
  };
  for (const special of specialsIn(node)) {
    show(startOf(special), prose);
    const isWhole = done === startOf(special);
    if (!isLink(special)) show(endOf(special), silent);
    // The end of a link whose beginning is already shown is read as words.
    else show(endOf(special), isWhole ? () => quietLink(special, how) : prose);
  }
  show(endOf(node), prose);
  return shown;
}

/** A link as its words, and its target as code. */
function quietLink(node: Node, how: Streaming): string {
  if (how.tick === undefined) return keptLink(node, how);
  const address = (node.url ?? '').replaceAll('`', '%60');
  const shown = `${how.tick}${silent(address)}${how.tick}`;
  const label = labelOf(node, how).trim();
  return label === '' || how.markdown.slice(startOf(node), endOf(node)) === `<${node.url}>`
    ? shown
    : `${label} (${shown})`;
}

/** A link as it was written, and an image as a link to it. */
function keptLink(node: Node, how: Streaming): string {
  const written = silent(how.markdown.slice(startOf(node), endOf(node)));
  if (node.type !== 'image') return written;
  return `[${labelOf(node, how).trim() || 'image'}](${(node.url ?? '').replaceAll(/[\s()<>]/g, (odd) => encodeURIComponent(odd).replace('(', '%28').replace(')', '%29'))})`;
}

function labelOf(node: Node, how: Streaming): string {
  if (node.type === 'image') return silent((node.alt ?? '').replaceAll(/[\\`*_[\]<>&~|]/g, '\\$&'));
  const [first] = node.children ?? [];
  const last = node.children?.at(-1);
  if (!first || !last) return '';
  const position = { start: { offset: startOf(first) }, end: { offset: endOf(last) } };
  return quiet({ ...node, position }, how);
}

/**
 * Marks within words stand for themselves, and arrive as they were written. One that ends what began outside of a word
 * is a mark.
 */
const asWritten = (markdown: string, at: number, piece: string, marks: ReadonlySet<number>): string =>
  piece.replaceAll(/(?:https?:\/\/|www\.)[^\s<>`]+|(?<!\\)[*~]+/g, (run, i: number) =>
    /^[*~]/.test(run) && isWithinWord(markdown, at + i, run.length) && !marks.has(at + i)
      ? run.replaceAll(/./g, '\\$&')
      : run,
  );

/** Where marks stand that close bold or italics which begin outside of a word. */
function marksIn(tree: Node, markdown: string, found = new Set<number>(), depth = 0): Set<number> {
  for (const child of depth < MAX_DEPTH ? (tree.children ?? []) : []) {
    const last = child.children?.at(-1);
    const isMark = child.type === 'strong' || child.type === 'emphasis';
    if (isMark && last && !beginsWithinWord(markdown, child)) found.add(endOf(last));
    marksIn(child, markdown, found, depth + 1);
  }
  return found;
}

/** A zero-width space. */
const GAP = '\u200b';

/** Everything that Markdown reads as `<`, and as `!` or `@`. */
const OPEN = '(?:<|&lt;|&LT;|&#0*60;|&#[xX]0*3[cC];)';
const CALL = '(?:\\\\?[!@]|&excl;|&commat;|&#0*(?:33|64);|&#[xX]0*(?:21|40);)';
const call = new RegExp(`(${OPEN})(?=${CALL})`, 'g');
const callOfNobody = new RegExp(`(${OPEN})(?!(?<=<)@[UW][A-Z0-9]{1,31}>)(?=${CALL})`, 'g');
/** The end of a text that may be the first half of a mention. */
const mayOpen = /(?:<|&[#\w]{0,12};?)\\?(?:&[#\w]{0,12})?$/;

const silent = (text: string): string => text.replaceAll(call, `$1${GAP}`);
const silentButPeople = (text: string): string => text.replaceAll(callOfNobody, `$1${GAP}`);

type Range = readonly [start: number, end: number];

/** The parts of a node that are not words, outermost, in order: code, and links except those to an e-mail address. */
function specialsIn(node: Node, depth = 0): Node[] {
  if (depth > MAX_DEPTH) return [];
  const { children = [] } = node;
  return children.flatMap((child, i) =>
    isCode(child, children[i - 1]) || isLink(child) ? [child] : specialsIn(child, depth + 1),
  );
}

const isLink = ({ type, url }: Node): boolean =>
  (type === 'link' || type === 'image') && !url?.startsWith('mailto:');

/**
 * Code blocks and inline code. After HTML, which may not be HTML any more when it is sent, an indented block may be words:
 * also where the HTML ends a quote or a list, which words on the next line continue.
 */
const isCode = ({ type }: Node, before?: Node): boolean =>
  type === 'inlineCode' || (type === 'code' && !endsWithHtml(before));

function endsWithHtml(node: Node | undefined): boolean {
  let last = node;
  for (let depth = 0; last?.children?.length && depth < MAX_DEPTH; depth++) last = last.children.at(-1);
  return last?.type === 'html';
}

function codeIn({ children = [] }: Node, depth = 0): Range[] {
  if (depth > MAX_DEPTH) return [];
  return children.flatMap((child, i): Range[] =>
    isCode(child, children[i - 1]) ? [[startOf(child), endOf(child)]] : codeIn(child, depth + 1),
  );
}

/**
 * Addresses in words, as code. An address that is not a link where it stands, as in HTML, must not become one when
 * something before it changes.
 */
function quietLinks(text: string, tick: string): string {
  const url = /(.?)((?:https?:\/\/|www\.)[^\s<>`]+)(?=(.?))/gs;
  const apart = text
    .replaceAll(/\](?=\(\s*<?(?:https?:\/\/|www\.))/g, `]${GAP}`)
    .replaceAll(/^( {0,3}\[[^\]\n]+\])(?=:)/gm, `$1${GAP}`);
  return apart.replaceAll(url, (_all, before: string, address: string, after: string) => {
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
