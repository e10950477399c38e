import { convert } from 'html-to-text';
import { Parser } from 'htmlparser2';

/** Limits on what the HTML of a mail may cost: characters, children of an element, and depth. */
const MAX_HTML = 1_000_000;
const MAX_CHILDREN = 10_000;
const MAX_DEPTH = 100;
/** Nesting at which HTML is not read: the parser's time grows with the square of it. */
const ABSURD_DEPTH = 1_000;

/** Elements in which mail programs put the history of a reply: Gmail, Yahoo, Outlook on the web, Proton Mail, Apple Mail. */
const QUOTES = [
  'div.gmail_quote',
  'blockquote.gmail_quote',
  'div.yahoo_quoted',
  'div#appendonsend',
  'div.protonmail_quote',
  'blockquote[type="cite"]',
];

/** The text of a mail's HTML; empty if it cannot be read. */
export function htmlToText(html: string, isReply: boolean): string {
  const read = html.slice(0, MAX_HTML);
  if (isAbsurd(read)) return '';
  return convert(read, {
    wordwrap: false,
    limits: { maxInputLength: MAX_HTML, maxChildNodes: MAX_CHILDREN, maxDepth: MAX_DEPTH },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      { selector: 'img', format: 'skip' },
      // The library aligns the columns of a table, in time that grows with the square of its rows.
      { selector: 'table', format: 'block' },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
      { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
      ...(isReply ? QUOTES.map((selector) => ({ selector, format: 'skip' })) : []),
    ],
  }).trim();
}

function isAbsurd(html: string): boolean {
  let depth = 0;
  let isTooDeep = false;
  const parser = new Parser({
    onopentag() {
      depth += 1;
      if (depth <= ABSURD_DEPTH) return;
      isTooDeep = true;
      parser.reset();
    },
    onclosetag() {
      depth -= 1;
    },
  });
  parser.end(html);
  return isTooDeep;
}
