/**
 * What the model writes, as mrkdwn: the form that `chat.postMessage` and `chat.update` take. (Streams take Markdown:
 * `stream-markdown.ts`.)
 *
 * - Nobody is called but by `<@U…>`: `<!channel>`, `<!here>` and groups lose their meaning.
 * - An image is a link: nothing is fetched because the model said so.
 * - Code stays as it is.
 */

/** Slack's own markup of one user or one channel, which the model may use. */
const ALLOWED = /<([@#][A-Z0-9]{1,32})>/g;
/** A code block, closed or not, or a piece of inline code. */
const CODE = /(^ {0,3}```[\s\S]*?(?:\n {0,3}```|(?![\s\S]))|`[^`\n]+`)/m;
export const LINK = /!?\[([^\]\n]*)\]\((https?:\/\/[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+"[^"\n]*")?\)/g;

/** Markdown as mrkdwn (docs.slack.dev, "Formatting message text"). */
export function toMrkdwn(markdown: string): string {
  return pieces(markdown)
    .map(({ text, code }) =>
      code ? escapeMrkdwn(text.replace(/^ {0,3}```[^\n`]*\n/, '```\n')) : prose(text),
    )
    .join('');
}

/** Escapes what mrkdwn would read as its own. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Piece {
  readonly text: string;
  readonly code: boolean;
}

const pieces = (markdown: string): Piece[] =>
  markdown
    .split(CODE)
    .map((text, i) => ({ text, code: i % 2 === 1 }))
    .filter(({ text }) => text !== '');

function prose(text: string): string {
  const kept: string[] = [];
  // Placeholders are made of characters for private use, which are taken out of the text first.
  const keep = (done: string) => `\ue000${kept.push(done) - 1}\ue000`;
  const bold = (inner: string) => `\ue001${inner}\ue001`;
  const marked = text
    .replaceAll(/[\ue000\ue001]/g, '')
    .replaceAll(LINK, (_all, label: string, url: string) => keep(link(url, label)))
    .replaceAll(ALLOWED, (all) => keep(all))
    .replaceAll(/<(https?:\/\/[^\s<>|]+)>/g, (_all, url: string) => keep(link(url, '')));
  const lines = escapeMrkdwn(marked)
    .split('\n')
    .map((line) =>
      line
        .replace(/^(\s*)&gt; ?/, '$1> ')
        .replace(/^\s{0,3}#{1,6}\s+(.*?)\s*#*$/, (_all, title: string) =>
          bold(title.replaceAll(/\*\*|__/g, '')),
        )
        .replace(/^(\s*)[-*+]\s+/, '$1• ')
        .replace(/^\s*([-*_])(\s*\1){2,}\s*$/, '———')
        .replaceAll(/\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*/g, (_all, inner: string) => bold(`_${inner}_`))
        .replaceAll(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, (_all, _mark, inner: string) => bold(inner))
        .replaceAll(/(?<![*\w])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![*\w])/g, '_$1_')
        .replaceAll(/~~(?=\S)(.+?)(?<=\S)~~/g, '~$1~')
        .replaceAll('\ue001', '*'),
    );
  return lines.join('\n').replaceAll(/\ue000(\d+)\ue000/g, (_all, n: string) => kept[Number(n)] ?? '');
}

const link = (url: string, label: string): string => {
  const shown = escapeMrkdwn(label.replaceAll(/\*\*|__/g, ''))
    .replaceAll('|', '¦')
    .trim();
  const target = escapeMrkdwn(url).replaceAll('|', '%7C');
  return shown === '' || shown === target ? `<${target}>` : `<${target}|${shown}>`;
};
