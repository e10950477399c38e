import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toMrkdwn } from '../../../shared/slack/markdown.ts';
import { toStreamMarkdown } from '../../../shared/slack/stream-markdown.ts';

test.for(['> ', '>', '* - ', '- ', '1. ', '[', '**a ', '*', '_a ', '<', '![', '`a ', '\\', '&'])(
  'thousands of %j in a row are parsed without loss',
  (mark) => {
    const text = `${mark.repeat(12_000 / mark.length)}end`;
    for (const shown of [toMrkdwn(text), toStreamMarkdown(text)]) expect(shown).toContain('end');
  },
);

test('a long line of markup in code stays as it is', () => {
  const text = `x\n\`\`\`\n${'-'.repeat(300)}\n- - b\n\`\`\`\ny`;
  expect(toMrkdwn(text)).toBe(text);
  expect(toStreamMarkdown(text)).toBe(text);
});

describe('links survive, whatever brackets they have', () => {
  test.for([
    ['[a [b] c](https://x.y/z_(1))', '<https://x.y/z_(1)|a [b] c>', 'a [b] c (`https://x.y/z_(1)`)'],
    ['[a \\[b](https://x.y/)', '<https://x.y/|a [b>', 'a \\[b (`https://x.y/`)'],
    ['[RFC [2119]](https://x.y/a)', '<https://x.y/a|RFC [2119]>', 'RFC [2119] (`https://x.y/a`)'],
    ['[x](https://x.y/a(b)c)', '<https://x.y/a(b)c|x>', 'x (`https://x.y/a(b)c`)'],
    ['[x](<https://x.y/a b>)', '<https://x.y/a%20b|x>', 'x (`https://x.y/a b`)'],
    ['[x](https://x.y "a (title)")', '<https://x.y|x>', 'x (`https://x.y`)'],
    ['[`code[0]`](https://x.y)', '<https://x.y|code[0]>', '`code[0]` (`https://x.y`)'],
    ['[**bold** one](https://x.y)', '<https://x.y|bold one>', '**bold** one (`https://x.y`)'],
    ['[two\nlines](https://x.y)', '<https://x.y|two lines>', 'two\nlines (`https://x.y`)'],
    [
      '[![build](https://x.y/b.svg)](https://x.y/ci)',
      '<https://x.y/ci|build>',
      'build (`https://x.y/b.svg`) (`https://x.y/ci`)',
    ],
    [
      '![a [chart]](https://x.y/c.png)',
      '<https://x.y/c.png|a [chart]>',
      'a \\[chart\\] (`https://x.y/c.png`)',
    ],
    ['[](https://x.y)', '<https://x.y>', '`https://x.y`'],
    ['<https://x.y/a_b>', '<https://x.y/a_b>', '`https://x.y/a_b`'],
    [
      '[a|b](https://x.y/?a=1|2&b=<3>)',
      '<https://x.y/?a=1%7C2&amp;b=%3C3%3E|a¦b>',
      'a|b (`https://x.y/?a=1|2&b=<3>`)',
    ],
    ['[a > b](https://x.y)', '<https://x.y|a &gt; b>', 'a > b (`https://x.y`)'],
    ['see [1] and [x](https://x.y).', 'see [1] and <https://x.y|x>.', 'see [1] and x (`https://x.y`).'],
    ['[no link] (https://x.y)', '[no link] (https://x.y)', '[no link] (`https://x.y`)'],
    ['**[x](https://x.y)**', '*<https://x.y|x>*', '**x (`https://x.y`)**'],
    [
      '- [x](https://x.y_z)\n- [y](https://y_)',
      '• <https://x.y_z|x>\n• <https://y_|y>',
      '- x (`https://x.y_z`)\n- y (`https://y_`)',
    ],
    ['[<!channel>](https://x.y)', '<https://x.y|&lt;!channel&gt;>', '<\u200b!channel> (`https://x.y`)'],
    ['[a][1]\n\n[1]: https://x.y', '[a][1]\n\n[1]: https://x.y', '[a][1]\n\n[1]\u200b: `https://x.y`'],
    ['[x](https://x.y/<!here>)', '<https://x.y/%3C!here%3E|x>', 'x (`https://x.y/<\u200b!here>`)'],
  ] as const)('%j', ([markdown, post, stream]) => {
    expect(toMrkdwn(markdown)).toBe(post);
    expect(toStreamMarkdown(markdown)).toBe(stream);
  });

  test('balanced brackets of any depth', () => {
    const label = fc.stringMatching(/^[a-z]{1,3}( ?\[[a-z]{0,3}\])?( [a-z]{1,3})?$/);
    const path = fc.stringMatching(/^[a-z_]{1,4}(\([a-z_]{0,3}\))?[a-z]{0,2}$/);
    fc.assert(
      fc.property(label, path, (said, where) => {
        const url = `https://x.y/${where}`;
        const text = `one [${said}](${url}) two`;
        expect(toMrkdwn(text)).toBe(`one <${url}|${said}> two`);
        expect(toStreamMarkdown(text)).toBe(`one ${said} (\`${url}\`) two`);
      }),
    );
  });

  test('every link still leads to its target', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      '[a](https://x.y/1)',
      '[b [c]](https://x.y/2)',
      ' ',
      'w',
      '*',
      '_',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const addresses = (shown: string) => (shown.match(/https:\/\/x\.y\/[12]/g) ?? []).sort();
        expect(addresses(toMrkdwn(text))).toEqual(addresses(text));
        expect(addresses(toStreamMarkdown(text))).toEqual(addresses(text));
      }),
      { numRuns: 500 },
    );
  });
});
