/**
 * Slack's own markup in texts of people, as plain Markdown for the model (docs.slack.dev, "Formatting message text",
 * "Retrieving formatted messages"). Slack escapes `&`, `<` and `>`, so every `<…>` is its markup, which Markdown does not
 * know: a model that repeats it would post it as text. Bold, italic and code stay as they were written.
 */

/** Code, and Slack's markup: a link, a user, a channel, or a command (`<!here>`, a group, a date). */
const PARTS = /(```[\s\S]*?```|`[^`\n]+`)|<([^<>\n]+)>/g;

/** A text as Slack sends it, as plain Markdown. The only markup left is `<@U…>`, and `<#C…>` for a channel without a name. */
export const toPlainMarkdown = (text: string): string =>
  unescaped(
    text.replaceAll(PARTS, (all, code?: string, inner?: string) => {
      if (code !== undefined)
        return code.replaceAll(/<([^<>\n]+)>/g, (_, linked: string) => readable(linked, asTyped));
      return inner === undefined ? all : readable(inner, asLink);
    }),
  );

/** Slack's text as it was written. */
export const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function readable(inner: string, link: (url: string, label: string) => string): string {
  const bar = inner.indexOf('|');
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? '' : inner.slice(bar + 1);
  switch (target[0]) {
    case '@':
      return `<${target}>`;
    case '#':
      return label ? `#${label}` : `<${target}>`;
    case '!':
      return command(target.slice(1), label);
    default:
      return link(target, label);
  }
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^1392734382^{date}|February 18th>`. */
function command(name: string, label: string): string {
  if (label) return /^[a-z]+$/.test(label) && label === name ? `@${label}` : label;
  const [kind = '', value = ''] = name.split('^');
  const seconds = Number(value);
  // The range of dates in JavaScript.
  if (kind === 'date' && value !== '' && Math.abs(seconds) < 8_640_000_000_000)
    return new Date(seconds * 1_000).toISOString();
  return value ? `@${value}` : `@${kind}`;
}

function asLink(url: string, label: string): string {
  const shown = isSame(url, label) ? '' : label.trim();
  if (shown === '') return bareOf(url);
  const target = /[\s()]/.test(url) ? `&lt;${url}&gt;` : url;
  return `[${shown.replaceAll(/[[\]\\]/g, '\\$&')}](${target})`;
}

/** In code, a link reads as it was typed: Slack has added the rest. */
const asTyped = (url: string, label: string): string => label || bareOf(url);

const bareOf = (url: string): string => url.replace(/^(?:mailto|tel):/, '');

/** Whether a label only repeats its address: Slack links `example.com` to `http://example.com`. */
const isSame = (url: string, label: string): boolean => {
  const plain = (one: string) => one.replace(/^(?:https?:\/\/|mailto:|tel:)/, '').replace(/\/$/, '');
  return plain(url) === plain(label);
};
