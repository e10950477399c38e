/// <reference path="./html-to-text.d.ts" />

import { readOnce } from '../../shared/agent/plain/read-once.ts';

const readLibrary = readOnce(() => import('html-to-text'));

/** Characters of HTML that are read, elements of a parent, and how deep: what a page may cost. */
const MAX_HTML = 2_000_000;
const MAX_CHILDREN = 10_000;
const MAX_DEPTH = 100;

/** The readable text of a page: headings, paragraphs, lists, tables, and where its links lead. Scripts and styles are gone. */
export async function htmlToText(html: string, base: string): Promise<string> {
  const { convert } = await readLibrary();
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MAX_HTML, maxChildNodes: MAX_CHILDREN, maxDepth: MAX_DEPTH },
    selectors: [
      {
        selector: 'a',
        options: { baseUrl: base, ignoreHref: false, hideLinkHrefIfSameAsText: true, noAnchorUrl: true },
      },
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
      { selector: 'table', format: 'dataTable' },
    ],
  });
}
