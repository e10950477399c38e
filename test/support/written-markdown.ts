/** Generated Markdown, and what a CommonMark parser reads in it: for tests that cut it into messages. */

import * as fc from 'fast-check';
import { endOf, isFenced, type Node, parsed, startOf } from '../../shared/slack/tree.ts';

const word = fc.constantFrom(
  'one',
  'two',
  'three',
  'four',
  'a',
  '**bold**',
  '`x y`',
  '[l](https://x.y)',
  'é',
  '😀',
);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((all) => all.join(' '));
const sentence = fc.array(words, { minLength: 1, maxLength: 3 }).map((all) => all.join('. '));
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 3 }).map((lines) => lines);

const codeLine = fc.constantFrom(
  'const a = 1;',
  '  indented();',
  '    deeper();',
  '# not a title',
  '> no quote',
  '- no item',
  '1. no item',
  '| a | b |',
  '*x* _y_ `z`',
  '',
  'a line that is longer than the others, with many words in it',
  '<!DOCTYPE html>',
  '\tby tab',
);
const codeLines = fc.array(codeLine, { minLength: 1, maxLength: 14 });
const fenced = fc
  .record({
    fence: fc.constantFrom('```', '~~~', '````', '~~~~', '```````'),
    lang: fc.constantFrom('', 'ts', 'python'),
    lines: codeLines,
    nested: fc.boolean(),
    indent: fc.constantFrom('', '', ' ', '  '),
  })
  .map(({ fence, lang, lines, nested, indent }) => {
    const inner = nested && (fence.length > 3 || fence[0] === '~') ? ['```js', ...lines, '```'] : lines;
    return [
      `${indent}${fence}${lang}`,
      ...inner.map((line) => (line ? indent + line : '')),
      `${indent}${fence}`,
    ];
  });
/** It follows words, since a list would take it for its own, and its first and last lines are not empty. */
const indented = fc
  .tuple(paragraph, codeLines)
  .map(([before, lines]) => [
    ...before,
    '',
    ...['begin', ...lines, 'end'].map((line) => (line === '' ? '' : `    ${line}`)),
  ]);
/** Rows are shorter than messages: one that is not has to be cut. */
const cell = fc
  .array(fc.constantFrom('one', 'two', '`x`', '*a*'), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(' '));
const row = fc.tuple(cell, cell).map(([a, b]) => `| ${a} | ${b} |`);
const table = fc
  .array(row, { minLength: 1, maxLength: 12 })
  .map((rows) => ['| first | second |', '|---|:--:|', ...rows]);
const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), words)
  .map(([depth, text]) => [`${'#'.repeat(depth)} ${text}`]);

const separate = (blocks: readonly (readonly string[])[]): string[] =>
  blocks.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));

/** Lines of a document: blocks of every kind, in quotes and lists, up to three levels deep. */
export const written = fc
  .letrec<{ block: string[]; blocks: string[] }>((tie) => ({
    block: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 3, arbitrary: paragraph },
      { weight: 3, arbitrary: fenced },
      { weight: 1, arbitrary: heading },
      { weight: 1, arbitrary: table },
      { weight: 2, arbitrary: tie('blocks').map((lines) => lines.map((line) => (line ? `> ${line}` : '>'))) },
      {
        weight: 3,
        arbitrary: fc
          .record({
            items: fc.array(tie('blocks'), { minLength: 1, maxLength: 4 }),
            ordered: fc.boolean(),
            loose: fc.boolean(),
            wide: fc.boolean(),
          })
          .map(({ items, ordered, loose, wide }) =>
            items.flatMap((lines, i) => {
              const mark = `${ordered ? `${i + 1}.` : '-'}${wide ? '   ' : ' '}`;
              const pad = ' '.repeat(mark.length);
              const item = lines.map((line, n) => (n === 0 ? mark + line : line && pad + line));
              return loose && i > 0 ? ['', ...item] : item;
            }),
          ),
      },
    ),
    blocks: fc
      .tuple(paragraph, fc.array(fc.oneof(tie('block'), indented), { maxLength: 3 }))
      .map(([first, rest]) => separate([first, ...rest])),
  }))
  .blocks.map((lines) => lines.join('\n'));

/** A leaf of the tree: what it is, the quotes and lists that it stands in, and its content. */
export interface Leaf {
  readonly kind: string;
  readonly within: string;
  text: string;
}

/** Blocks as a CommonMark parser reads them, in order. */
export function leavesOf(markdown: string): Leaf[] {
  const leaves: Leaf[] = [];
  const add = (kind: string, within: string, text: string) => leaves.push({ kind, within, text });
  const visit = (node: Node, within: string): void => {
    const children = node.children ?? [];
    switch (node.type) {
      case 'root':
        for (const child of children) visit(child, within);
        return;
      case 'blockquote':
        for (const child of children) visit(child, `${within}>`);
        return;
      case 'list': {
        const { ordered } = node;
        children.forEach((item) => {
          for (const child of item.children ?? []) visit(child, `${within}${ordered ? '#' : '-'}`);
        });
        return;
      }
      case 'code': {
        const { lang } = node as Node & { lang?: string | null };
        const isBlock = isFenced(markdown.slice(startOf(node), endOf(node)));
        add(`code ${isBlock ? (lang ?? '') : 'indented'}`, within, `${node.value ?? ''}\n`);
        return;
      }
      case 'table':
        for (const each of children) add('row', within, inline(each));
        return;
      default:
        add(node.type === 'heading' ? `h${node.depth}` : node.type, within, inline(node));
    }
  };
  visit(parsed(markdown), '');
  return leaves;
}

const inline = (node: Node): string => {
  const inner = (node.children ?? []).map(inline).join('');
  switch (node.type) {
    case 'paragraph':
    case 'heading':
    case 'tableRow':
      return inner;
    case 'text':
      return (node.value ?? '').replaceAll(/\s+/g, ' ');
    default:
      return `{${node.type} ${node.value ?? node.url ?? ''}${inner}}`;
  }
};
