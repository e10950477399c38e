/// <reference path="./html-to-text.d.ts" />

import { readOnce } from '../../shared/agent/plain/read-once.ts';

const readLibrary = readOnce(() => import('html-to-text'));
/** The parser that `html-to-text` uses. */
const readParser = readOnce(() => import('htmlparser2'));

/** Limits on what a page may cost: characters of HTML, children of an element, and depth. */
const MAX_HTML = 1_000_000;
const MAX_CHILDREN = 10_000;
const MAX_DEPTH = 100;
/** Nesting at which a page is refused: the parser's time grows with the square of it. */
const ABSURD_DEPTH = 1_000;

/**
 * The readable text of a page: headings, paragraphs, lists, rows of tables, and the targets of its links. Scripts and
 * styles are removed. Throws if the page is nested absurdly.
 */
export async function htmlToText(html: string, base: string): Promise<string> {
  const read = html.slice(0, MAX_HTML);
  if (await isAbsurd(read)) throw new Error('The page is nested too deeply to be read as text.');
  const { convert } = await readLibrary();
  return convert(read, {
    wordwrap: false,
    limits: { maxInputLength: MAX_HTML, maxChildNodes: MAX_CHILDREN, maxDepth: MAX_DEPTH },
    selectors: [
      {
        selector: 'a',
        options: { baseUrl: base, ignoreHref: false, hideLinkHrefIfSameAsText: true, noAnchorUrl: true },
      },
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
      // The library aligns the columns of a table, in time that grows with the square of its rows.
      { selector: 'table', format: 'block' },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'inlineSurround', options: { suffix: ' | ' } },
      { selector: 'th', format: 'inlineSurround', options: { suffix: ' | ' } },
    ],
  });
}

/**
 * Whether elements are nested deeper than in any real page. It asks the same parser that reads the page afterwards:
 * code that reads comments, attributes or the case of end tags differently could be fooled.
 */
async function isAbsurd(html: string): Promise<boolean> {
  const { Parser } = await readParser();
  let depth = 0;
  let isTooDeep = false;
  const parser = new Parser({
    onopentag() {
      depth += 1;
      if (depth <= ABSURD_DEPTH) return;
      isTooDeep = true;
      // The rest of the page is not parsed.
      parser.reset();
    },
    onclosetag() {
      depth -= 1;
    },
  });
  parser.end(html);
  return isTooDeep;
}
