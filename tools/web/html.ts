/// <reference path="./html-to-text.d.ts" />

import { readOnce } from '../../shared/agent/plain/read-once.ts';

const readLibrary = readOnce(() => import('html-to-text'));

/** Characters of HTML that are read, elements of a parent, and how deep: what a page may cost. */
const MAX_HTML = 1_000_000;
const MAX_CHILDREN = 10_000;
const MAX_DEPTH = 100;
/** Elements in one another from which on a page is no page: the parser's time grows with the square of them. */
const ABSURD_DEPTH = 1_000;

/**
 * The readable text of a page: headings, paragraphs, lists, rows of tables, and where its links lead. Scripts and styles are gone.
 * Throws when the page is nested absurdly.
 */
export async function htmlToText(html: string, base: string): Promise<string> {
  const read = html.slice(0, MAX_HTML);
  if (isAbsurd(read)) throw new Error('The page is nested too deeply to be read as text.');
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

/** Elements that have no end, and those that one of their own kind ends. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;
const ENDED_BY_ITSELF = /^(?:p|li|dt|dd|tr|td|th|option)$/;

/** Whether more elements are in one another than of any page; ends that are missing count, ends of nothing do not. */
function isAbsurd(html: string): boolean {
  const open: string[] = [];
  const tags = /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)/g;
  for (let tag = tags.exec(html); tag; tag = tags.exec(html)) {
    const [, end, written = ''] = tag;
    const name = written.toLowerCase();
    // What looks like a tag in there is a string of a program.
    if (!end && (name === 'script' || name === 'style')) {
      const over = html.indexOf(`</${written}`, tags.lastIndex);
      if (over < 0) return false;
      tags.lastIndex = over + written.length + 2;
      continue;
    }
    if (VOID.test(name)) continue;
    if (end) {
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
      continue;
    }
    if (name === 'tr' && /^t[dh]$/.test(open.at(-1) ?? '')) open.pop();
    if (ENDED_BY_ITSELF.test(name) && open.at(-1) === name) open.pop();
    open.push(name);
    if (open.length > ABSURD_DEPTH) return true;
  }
  return false;
}
