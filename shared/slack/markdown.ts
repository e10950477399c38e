import { escapeMrkdwn } from './escape.ts';
import {
  beginsWithinWord,
  endOf,
  isFenced,
  MAX_DEPTH,
  type Node,
  parsed,
  startOf,
  TOO_DEEP,
} from './tree.ts';

/**
 * Converts the model's Markdown to mrkdwn: the form that `chat.postMessage` and `chat.update` take. (Streams take
 * Markdown: `stream-markdown.ts`.) A CommonMark parser decides what is markup; a construct without a form in mrkdwn
 * stays as it was written.
 *
 * - Only `<@U…>` notifies people: `<!channel>`, `<!here>` and groups lose their meaning, in code too.
 * - An image becomes a link: Slack must not fetch what the model names.
 * - Code stays as it is.
 */

/** Markdown as mrkdwn (docs.slack.dev, "Formatting message text"). */
export function toMrkdwn(markdown: string): string {
  // Placeholders use a private-use character, which is removed from the text first.
  const source = markdown.replaceAll(MARK, '');
  const kept: string[] = [];
  const keep = (done: string) => `${MARK}${kept.push(done) - 1}${MARK}`;
  return rendered(parsed(source), { source, keep, bold: false, depth: 0 })
    .split('\n')
    .map((line) =>
      line.replace(/^(\s*)&gt;/, '$1>').replaceAll(/~~(?=\S)(.+?)(?<=\S)~~/g, (_all, gone) => `~${gone}~`),
    )
    .join('\n')
    .replaceAll(PLACEHOLDER, (_all, n: string) => kept[Number(n)] ?? '');
}

const MARK = '\ue000';
const PLACEHOLDER = /\ue000(\d+)\ue000/g;

interface Rendering {
  readonly source: string;
  /** Replaces finished text with a placeholder, so that later steps do not change it. */
  readonly keep: (done: string) => string;
  /** Inside of something bold: bold does not nest. */
  readonly bold: boolean;
  readonly depth: number;
}

function rendered(node: Node, outer: Rendering): string {
  const how = { ...outer, depth: outer.depth + 1 };
  const { source, keep } = how;
  const written = source.slice(startOf(node), endOf(node));
  if (how.depth > MAX_DEPTH) return prose(written);
  switch (node.type) {
    case 'code':
      return keep(codeBlock(codeOf(node, written)));
    case 'inlineCode':
      return keep(inlineCode(node.value ?? '', written));
    case 'link':
    case 'image':
      return /^https?:\/\//i.test(node.url ?? '') ? keep(link(node)) : children(node, how);
    case 'strong':
      if (beginsWithinWord(source, node)) return children(node, how);
      return how.bold ? inner(node, how) : around('*', inner(node, { ...how, bold: true }));
    case 'emphasis':
      if (beginsWithinWord(source, node)) return children(node, how);
      return around('_', inner(node, how));
    case 'heading':
      return how.bold ? inner(node, how) : around('*', inner(node, { ...how, bold: true }));
    case 'table':
      return keep(codeBlock(aligned(node)));
    case 'thematicBreak':
      return '———';
    case 'break':
      return '\n';
    case 'list':
      return node.ordered ? children(node, how) : children(node, how, bulleted);
    default:
      return node.children ? children(node, how) : prose(written);
  }
}

/** The whole text of a node, with the text between its children as it was written. */
function children(node: Node, how: Rendering, each: (shown: string) => string = (shown) => shown): string {
  let at = startOf(node);
  let shown = '';
  for (const child of node.children ?? []) {
    shown += prose(how.source.slice(at, startOf(child))) + each(rendered(child, how));
    at = endOf(child);
  }
  return shown + prose(how.source.slice(at, endOf(node)));
}

/** The text between the marks of a node. */
const inner = (node: Node, how: Rendering): string => {
  const { children: all = [] } = node;
  const [first] = all;
  const last = all.at(-1);
  if (!first || !last) return '';
  const position = { start: { offset: startOf(first) }, end: { offset: endOf(last) } };
  return children({ ...node, position }, how);
};

const bulleted = (item: string): string =>
  item.replace(/^[-*+](?: +\[([ xX])\](?= ))?/, (_, task?: string) =>
    task === undefined ? '•' : task === ' ' ? '☐' : '☑',
  );

/** A table, which mrkdwn does not have, in columns. */
function aligned({ children: rows = [] }: Node): string {
  const cells = rows.map(({ children: row = [] }) => row.map((cell) => textOf(cell).replaceAll(/\s+/g, ' ')));
  const widths = (cells[0] ?? []).map((_, i) =>
    Math.max(...cells.map((row) => Array.from(row[i] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    widths
      .map((width, i) => (row[i] ?? '') + ' '.repeat(width - Array.from(row[i] ?? '').length))
      .join(' | ')
      .trimEnd();
  const [head = [], ...rest] = cells;
  return [line(head), widths.map((width) => '-'.repeat(width)).join('-|-'), ...rest.map(line)].join('\n');
}

/** mrkdwn's marks must not span lines. */
const around = (mark: string, text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const words = line.trim();
      const before = line.slice(0, line.length - line.trimStart().length);
      return words === ''
        ? line
        : `${before}${mark}${words}${mark}${line.slice(before.length + words.length)}`;
    })
    .join('\n');

/**
 * Words: escaped, except mentions of one person or one channel in Slack's own markup. A backslash is removed, except
 * before a character that mrkdwn would take for a mark.
 */
const prose = (text: string): string =>
  text.replaceAll(/\\([!-/:-@[-`{-~])|<[@#][A-Z0-9]{1,32}>|[&<>]/g, (all, escaped?: string) => {
    if (escaped !== undefined) return '*_~`'.includes(escaped) ? all : escapeMrkdwn(escaped);
    return all.length > 1 ? all : escapeMrkdwn(all);
  });

/** The content of a fenced block; as it was written if a line of it is so long that the parser read another one. */
const codeOf = ({ value = '' }: Node, written: string): string =>
  isFenced(written) && TOO_DEEP.test(written)
    ? written.replace(/^[^\n]*\n?/, '').replace(/\n[ \t>]*(?:`{3,}|~{3,})[ \t]*$/, '')
    : value;

/** Slack's code ends at the first three backticks: backticks inside get a zero-width space. */
const codeBlock = (value: string): string =>
  `\`\`\`\n${escapeMrkdwn(value.replaceAll('```', '``\u200b`'))}\n\`\`\``;

const inlineCode = (value: string, written: string): string =>
  value.includes('`') ? escapeMrkdwn(written) : `\`${escapeMrkdwn(value.replaceAll('\n', ' '))}\``;

function link(node: Node): string {
  const target = escapeMrkdwn((node.url ?? '').replaceAll(/[|<>\s]/g, (odd) => encodeURIComponent(odd)));
  const shown = escapeMrkdwn(textOf(node).replaceAll(/\s+/g, ' ')).replaceAll('|', '¦').trim();
  return shown === '' || shown === target ? `<${target}>` : `<${target}|${shown}>`;
}

/** The words of a node, without their markup. */
const textOf = ({ value, alt, children: all }: Node): string =>
  value ?? alt ?? (all ?? []).map((child) => (child.type === 'break' ? ' ' : textOf(child))).join('');
