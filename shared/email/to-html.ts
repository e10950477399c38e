import { micromark } from 'micromark';
import { gfmAutolinkLiteral, gfmAutolinkLiteralHtml } from 'micromark-extension-gfm-autolink-literal';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';

/** Characters of Markdown that are made into HTML: the parser takes a third of a second for the worst of this length. */
const MAX_MARKDOWN = 20_000;

/** A line that opens so many quotes and lists takes the parser seconds, and was not written to be read. */
const TOO_DEEP = /^[ \t>*+\-\d.)]{200}/m;

/** Mail programs show tables without lines otherwise. */
const STYLE =
  'table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px}pre{white-space:pre-wrap}';

/**
 * A text in Markdown as the HTML of a mail. HTML in the text is shown as text, and links with other protocols than the web's and
 * mail's lead nowhere. An image is a link to it: mail programs load images without being asked, so an address that the model was
 * led to write would carry data out.
 *
 * @returns undefined if the text is better sent as it is
 */
export function toHtml(markdown: string): string | undefined {
  if (markdown.length > MAX_MARKDOWN || TOO_DEEP.test(markdown)) return undefined;
  const body = micromark(markdown, {
    extensions: [gfmTable(), gfmAutolinkLiteral(), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfmTableHtml(), gfmAutolinkLiteralHtml()],
  });
  return `<!doctype html><html><head><meta charset="utf-8"><style>${STYLE}</style></head><body>${body}</body></html>`;
}
