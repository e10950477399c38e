import * as fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import { toMrkdwn } from '../../../shared/slack/markdown.ts';
import { settledEnd } from '../../../shared/slack/split.ts';
import { streamPiece, toStreamMarkdown } from '../../../shared/slack/stream-markdown.ts';

type Node = { type: string; value?: string; url?: string; children?: Node[] };

const nodesOf = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(nodesOf)];

/** The text that a reader of CommonMark sees, node by node: entities and escapes are decoded. */
const readBy = (markdown: string): Node[] => nodesOf(fromMarkdown(markdown) as Node);

/** Mentions, in words, of anything other than one person. */
const callsIn = (markdown: string): string[] =>
  readBy(markdown).flatMap(({ value = '' }) => {
    return value.replaceAll(/<@[UW][A-Z0-9]+>/g, ' ').match(/<[!@].*/g) ?? [];
  });

/** Addresses that would be fetched: links, and bare ones outside of code. */
const linksIn = (markdown: string): string[] =>
  readBy(markdown).flatMap(({ type, value = '', url }) => {
    if (url) return url.startsWith('mailto:') ? [] : [url];
    return type === 'code' || type === 'inlineCode' ? [] : (value.match(/https?:\/\/\S+/g) ?? []);
  });

const pieces = fc.constantFrom(
  '<!channel>',
  '<!subteam^S1>',
  '<@U123>',
  '<@U123|ada>',
  '<\\!here>',
  '&lt;!here&gt;',
  '&#60;!here>',
  '<&#33;here>',
  '<&commat;U1>',
  '<',
  '!channel>',
  '@U123>',
  '[!channel>](https://x.y/)',
  '[<](https://x.y/)',
  'https://evil.example/?q=1',
  '`',
  '``',
  '\\',
  '```',
  '~~~',
  '\n',
  '\n\n',
  '\n```\n',
  '\n~~~\n',
  '\n    ',
  '\n> ',
  '\n- ',
  'word ',
  '*',
  '[',
  ']',
  '(',
  ')',
);
const markdown = fc.array(pieces, { maxLength: 14 }).map((all) => all.join(''));
const runs = { numRuns: 1_000 };

describe('no text of the model mentions anything but single people', () => {
  test.for([
    ['\\`<!channel>\\`', 'an escaped backtick begins no code'],
    ['``<!channel>`', 'nor do backticks that are not closed alike'],
    ['``` `\n<!channel>', 'nor a fence with a backtick on its line'],
    ['&lt;!channel&gt;', 'entities are read'],
    ['<[!channel>](https://x.y/)', 'a link whose brackets go away'],
    ['    <!channel>', 'indented'],
    ['`<!channel>`', 'in code'],
    ['<@U123|ada>', 'a person under another name'],
  ] as const)('%j: %s', ([text]) => {
    const shown = toStreamMarkdown(text);
    expect(shown).not.toMatch(/<[!@]/);
    expect(callsIn(shown)).toEqual([]);
    expect(toMrkdwn(text)).not.toMatch(/<[!@]/);
  });

  test('in a stream, as a CommonMark parser reads it', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const shown = toStreamMarkdown(text);
        expect(shown).not.toMatch(/<!/);
        expect(callsIn(shown)).toEqual([]);
      }),
      runs,
    );
  });

  test('in a stream, however it is split into appends', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat({ max: 60 }), { maxLength: 4 }), (text, cuts) => {
        const ends = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
        let shown = '';
        let sent = 0;
        for (const end of [...ends, text.length]) {
          shown += streamPiece(text, 0, sent, end);
          sent = end;
        }
        expect(shown).not.toMatch(/<!/);
        expect(callsIn(shown)).toEqual([]);
      }),
      runs,
    );
  });

  test('in a post', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        expect(toMrkdwn(text).replaceAll(/<@[UW][A-Z0-9]+>/g, ' ')).not.toMatch(/<[!@]/);
      }),
      runs,
    );
  });
});

describe('links in a stream are code', () => {
  test('if backticks are escaped', () => {
    expect(linksIn(toStreamMarkdown('\\`https://evil.example/?q=1\\` x'))).toEqual([]);
    expect(linksIn(toStreamMarkdown('`[```[!channel>](https://x.y/)'))).toEqual([]);
    expect(linksIn(toStreamMarkdown('<!channel>[<](https://x.y/)'))).toEqual([]);
  });

  test('if an indented line follows a quote or a list that ends with HTML', () => {
    expect(linksIn(toStreamMarkdown('> <!channel>\n    [a](https://x.y/)'))).toEqual([]);
    expect(linksIn(toStreamMarkdown('- <!channel>\n\n      [a](https://x.y/)'))).toEqual([]);
    expect(linksIn(toStreamMarkdown('- > <!a>\n        [a](https://x.y/)'))).toEqual([]);
    expect(linksIn(toStreamMarkdown('> - <!a>\n        [a](https://x.y/)'))).toEqual([]);
  });

  test('whatever text is around them', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        expect(linksIn(toStreamMarkdown(text))).toEqual([]);
      }),
      runs,
    );
  });

  test('text that a reader sees as code stays as it is', () => {
    const text = 'use `` a ` https://x.y `` and\n\n~~~html\n<p>https://x.y\n~~~\n';
    expect(toStreamMarkdown(text)).toBe(text);
  });

  test('a text that ends in the middle of an entity continues after a gap', () => {
    const text = `${'x'.repeat(500)}&lt;!channel>`;
    const cut = text.indexOf('lt;');
    expect(settledEnd(text.slice(0, cut), 0)).toBe(cut);
    expect(callsIn(streamPiece(text, 0, 0, cut) + streamPiece(text, 0, cut, text.length))).toEqual([]);
  });
});
