import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excerpt } from '../../../shared/slack/seams.ts';
import { cutWhere } from '../../../shared/slack/split.ts';
import { spanning } from '../../../shared/slack/tree.ts';
import { type Leaf, leavesOf, written } from '../../support/written-markdown.ts';

/** Where the messages of a text end, if each holds `limit` characters. */
function cutsOf(text: string, limit: number): number[] {
  const cuts: number[] = [];
  for (let from = 0; from < text.length; from = cuts.at(-1) ?? text.length)
    cuts.push(cutWhere(text, from, limit, (to) => excerpt(text, from, to).length <= limit));
  return cuts;
}

const messagesOf = (text: string, limit: number): string[] => {
  const cuts = cutsOf(text, limit);
  return cuts.map((to, i) => excerpt(text, cuts[i - 1] ?? 0, to));
};

/** The text of all messages together: a block that was cut is one again. */
function joined(text: string, limit: number): Leaf[] {
  const cuts = cutsOf(text, limit);
  const all: Leaf[] = [];
  for (const [i, to] of cuts.entries()) {
    const from = cuts[i - 1] ?? 0;
    const leaves = leavesOf(excerpt(text, from, to)).filter(({ text }) => text !== '\u200b');
    const cut = spanning(text, from).find(({ type }) => /^(?:code|paragraph|heading|table)$/.test(type));
    const before = all.at(-1);
    if (!cut || !before || cut.type === 'table') {
      all.push(...(cut?.type === 'table' ? leaves.slice(1) : leaves));
      continue;
    }
    const [first, ...rest] = leaves;
    if (!first) throw new Error('a message is empty');
    expect([first.kind, first.within]).toEqual([before.kind, before.within]);
    const isCode = cut.type === 'code';
    const isLine = text[from - 1] === '\n';
    before.text = isCode
      ? `${isLine ? before.text : before.text.slice(0, -1)}${first.text}`
      : `${before.text} ${first.text}`;
    all.push(...rest);
  }
  return all;
}

/** Blanks at the ends of words are Markdown's own matter. */
const plain = (leaves: readonly Leaf[]) =>
  leaves.map(({ text, ...leaf }) => ({
    ...leaf,
    text: leaf.kind.startsWith('code') ? text : text.replaceAll(/\s+/g, ' ').trim(),
  }));

describe('a text that is cut into messages', () => {
  test('reads in them, together, as a CommonMark parser reads the whole', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 160, max: 600 }), (text, limit) => {
        expect(plain(joined(text, limit))).toEqual(plain(leavesOf(text)));
      }),
      { numRuns: 100 },
    );
  });

  test('has no message that is longer than the limit', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 200, max: 500 }), (text, limit) => {
        for (const message of messagesOf(text, limit)) expect(message.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 100 },
    );
  });
});

const lines = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n));
const code = (fence: string, pad = '') =>
  [`${fence}ts`, ...lines(30, (n) => `  const line${n} = "*${n}* _x_";`), fence]
    .map((line) => pad + line)
    .join('\n');

test.for([
  ['tildes', code('~~~')],
  ['four backticks around three', `\`\`\`\`md\n${code('```')}\n\`\`\`\``],
  ['indentation', lines(40, (n) => `    make(${n}) * 2`).join('\n')],
  ['a quote', `> Look:\n${code('```', '> ')}`],
  ['a list', `- item\n\n${code('```', '  ')}\n- next`],
  ['a list in a quote in a list', `1. a\n\n   > - b\n   >\n${code('~~~~', '   >   ')}\n2. c`],
  ['one line longer than a message', `\`\`\`\n${'x = 1; '.repeat(100)}\n\`\`\``],
] as const)('no line of code in %s is changed', ([, text]) => {
  const read = (leaves: readonly Leaf[]) => leaves.filter(({ kind }) => kind.startsWith('code'));
  const whole = read(leavesOf(text));
  expect(whole).toHaveLength(1);
  expect(read(joined(text, 250))).toEqual(whole);
  expect(messagesOf(text, 250).length).toBeGreaterThan(2);
});

test('a table that is cut has its header in each message', () => {
  const text = `Prices:\n\n| item | price |\n|---|--:|\n${lines(40, (n) => `| thing ${n} | ${n} |`).join('\n')}\n\nEnd.`;
  const messages = messagesOf(text, 250);
  expect(messages.length).toBeGreaterThan(2);
  for (const message of messages) expect(message).toContain('| item | price |\n|---|--:|\n| thing');
});

test('inline code that is longer than a message is closed and opened again', () => {
  const messages = messagesOf(`Run \`${'abc def '.repeat(60).trim()}\` now.`, 200);
  for (const message of messages.slice(0, -1)) expect(message).toMatch(/`[^`]*`$/);
});
