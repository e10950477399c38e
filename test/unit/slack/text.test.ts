import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toMrkdwn } from '../../../shared/slack/markdown.ts';
import { excerpt } from '../../../shared/slack/seams.ts';
import { isSignedBySlack, signatureOf } from '../../../shared/slack/signature.ts';
import { cutAt, settledEnd } from '../../../shared/slack/split.ts';
import { streamPiece, toPostMarkdown, toStreamMarkdown } from '../../../shared/slack/stream-markdown.ts';

describe('signature', () => {
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  const now = 1_531_420_618_000;
  const timestamp = '1531420618';
  // The example of docs.slack.dev, "Verifying requests from Slack".
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';

  test('the documented example is accepted', () => {
    expect(isSignedBySlack({ body, timestamp, signature }, secret, now)).toBe(true);
  });

  test.for([
    ['another body', { body: `${body}&x=1` }],
    ['another time', { timestamp: '1531420619' }],
    ['another signature', { signature: signature.replace('a', 'b') }],
    ['a shorter signature', { signature: 'v0=a2' }],
    ['no signature', { signature: undefined }],
    ['no time', { timestamp: undefined }],
    ['a time that is no number', { timestamp: '1531420618abc' }],
    ['a signature of another version', { signature: signature.replace('v0', 'v1') }],
  ] as const)('%s is refused', ([, change]) => {
    expect(isSignedBySlack({ body, timestamp, signature, ...change }, secret, now)).toBe(false);
  });

  test.for([
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
  ] as const)('%s s between its time and ours: %s', ([seconds, ok]) => {
    const at = String(1_531_420_618 + seconds);
    const signed = { body, timestamp: at, signature: signatureOf(body, at, secret) };
    expect(isSignedBySlack(signed, secret, now)).toBe(ok);
  });

  test('another secret does not verify it', () => {
    expect(isSignedBySlack({ body, timestamp, signature }, `${secret}x`, now)).toBe(false);
  });
});

describe('Markdown as mrkdwn', () => {
  test.for([
    ['**bold** and *italic* and ~~gone~~', '*bold* and _italic_ and ~gone~'],
    ['__bold__ and _italic_', '*bold* and _italic_'],
    ['***both***', '_*both*_'],
    ['# Title\ntext', '*Title*\ntext'],
    ['## A **bold** title ##', '*A bold title*'],
    ['- one\n* two\n+ three', '• one\n• two\n• three'],
    ['  - nested', '  • nested'],
    ['1. one', '1. one'],
    ['---', '———'],
    ['> quoted', '> quoted'],
    ['>quoted', '>quoted'],
    ['[text](https://example.com/a_b?c=d&e=f)', '<https://example.com/a_b?c=d&amp;e=f|text>'],
    ['[a|b](https://example.com)', '<https://example.com|a¦b>'],
    ['![chart](https://example.com/x.png)', '<https://example.com/x.png|chart>'],
    ['<https://example.com>', '<https://example.com>'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['2*3*4 and /a_b*c*d and x**2 + y**2', '2*3*4 and /a_b*c*d and x**2 + y**2'],
    ['the *n*th', 'the _n_th'],
    ['- [ ] one\n- [x] two', '☐ one\n☑ two'],
    ['| a | bb |\n|---|---|\n| ccc | `d` |', '```\na   | bb\n----|---\nccc | d\n```'],
    ['snake_case_name', 'snake_case_name'],
    ['`**not bold** <!here>`', '`**not bold** &lt;!here&gt;`'],
    ['```ts\nconst a = b<c>;\n**x**\n```', '```\nconst a = b&lt;c&gt;;\n**x**\n```'],
    ['Hi <@U123>, see <#C456>', 'Hi <@U123>, see <#C456>'],
    ['<!channel> <!here|here> <!subteam^S1>', '&lt;!channel&gt; &lt;!here|here&gt; &lt;!subteam^S1&gt;'],
    ['[<!channel>](https://example.com)', '<https://example.com|&lt;!channel&gt;>'],
  ] as const)('%j', ([markdown, mrkdwn]) => {
    expect(toMrkdwn(markdown)).toBe(mrkdwn);
  });

  test('no written text mentions a channel', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '<',
        '!',
        '@',
        'here',
        '>',
        '`',
        '*',
        '[',
        ']',
        '(',
        ')',
        'https://x.y',
        '\n',
        '|',
        ' ',
        '\u0000',
        '0',
      ),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        expect(toMrkdwn(text)).not.toMatch(/<!/);
        expect(toStreamMarkdown(text)).not.toMatch(/<!/);
      }),
    );
  });
});

describe('Markdown for streams', () => {
  test.for([
    ['**bold** stays', '**bold** stays'],
    ['see https://evil.example/?q=secret.', 'see `https://evil.example/?q=secret`.'],
    ['[docs](https://example.com/a)', 'docs (`https://example.com/a`)'],
    ['![x](https://evil.example/x.png)', 'x (`https://evil.example/x.png`)'],
    ['<!channel> now', '<\u200b!channel> now'],
    ['`https://example.com` stays', '`https://example.com` stays'],
    ['```\nhttps://example.com\n```', '```\nhttps://example.com\n```'],
    ['Hi <@U123>', 'Hi <@U123>'],
  ] as const)('%j', ([markdown, shown]) => {
    expect(toStreamMarkdown(markdown)).toBe(shown);
  });
});

describe('Markdown for posts', () => {
  test.for([
    ['2*3*4, /a_b*c*d, x**2 + y**2, 5~6~7', '2\\*3\\*4, /a_b\\*c\\*d, x\\*\\*2 + y\\*\\*2, 5\\~6\\~7'],
    ['the *n*th, **Note:** a, ***both***, 重*点*内', 'the *n*th, **Note:** a, ***both***, 重*点*内'],
    ['2\\*3 and `2*3*4`', '2\\*3 and `2*3*4`'],
    ['```\n2*3*4\n```', '```\n2*3*4\n```'],
    ['- [ ] one\n- [x] two\n\n~~gone~~', '- [ ] one\n- [x] two\n\n~~gone~~'],
    ['| a | b |\n|---|--:|\n| 1 | 2*3*4 |', '| a | b |\n|---|--:|\n| 1 | 2\\*3\\*4 |'],
    ['[text](https://x.y/a*b*c) https://x.y/a*b*c', '[text](https://x.y/a*b*c) https://x.y/a*b*c'],
    ['![chart](https://x.y/c.png)', '[chart](https://x.y/c.png)'],
    ['<!channel> <@U123> [<!here>](https://x.y)', '<\u200b!channel> <@U123> [<\u200b!here>](https://x.y)'],
  ] as const)('%j', ([markdown, shown]) => {
    expect(toPostMarkdown(markdown)).toBe(shown);
  });

  test('what stands within words reads as it was written', () => {
    const unit = fc.constantFrom('a', '2', '*', '**', '~', ' ', '/', '_', '.', '(', ')');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const word = `x${text.replaceAll(' ', '')}x`;
        const escaped = toPostMarkdown(word).replaceAll('\\', '');
        expect(escaped).toBe(word);
      }),
    );
  });
});

describe('cutting', () => {
  test('at a paragraph, a line, a sentence, a word, in this order, in the second half', () => {
    expect(cutAt('aaaa\n\nbbbb', 0, 8)).toBe(6);
    expect(cutAt('aaaaa\nbb bbbb', 0, 9)).toBe(6);
    expect(cutAt('aaaaa. bb bbbb', 0, 10)).toBe(7);
    expect(cutAt('aaaaaa bbbbbb', 0, 10)).toBe(7);
    expect(cutAt('a bbbbbbbbbbbbb', 0, 10)).toBe(10);
  });

  test('never before the shown part, never in a character', () => {
    expect(cutAt('aaaaaa bbbbbb', 0, 10, 9)).toBe(10);
    expect(cutAt('aaa😀😀😀😀', 0, 6)).toBe(5);
  });

  test('a code block that is cut is closed and opened again', () => {
    const text = 'x\n```ts\none\ntwo\n```\ny';
    const at = text.indexOf('two');
    expect(excerpt(text, 0, at)).toBe('x\n```ts\none\n```');
    expect(excerpt(text, at, text.length)).toBe('```ts\ntwo\n```\ny');
  });

  test('the pieces together are the text, and none is longer than the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '\n', '. ', '😀'), maxLength: 200 }),
        fc.integer({ min: 4, max: 40 }),
        (text, limit) => {
          const pieces: string[] = [];
          for (let from = 0; from < text.length; ) {
            const to = cutAt(text, from, limit);
            expect(to).toBeGreaterThan(from);
            pieces.push(text.slice(from, to));
            from = to;
          }
          expect(pieces.join('')).toBe(text);
          expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

describe('a text that grows', () => {
  test.for([
    ['Hello wor', 'Hello '],
    ['see [the docs', ''],
    ['x see [the docs](https://exam', 'x see '],
    ['x see [the docs](https://example.com) for', 'x see [the docs](https://example.com) '],
    ['a list [x] of it', 'a list [x] of '],
    ['look [a [b] c', 'look '],
    ['look [a [b] c](https://x.y/z_(1', 'look '],
    ['look [a](https://x.y/z_(1) "two words', 'look '],
    ['look [a [b] c](https://x.y/z_(1)) on', 'look [a [b] c](https://x.y/z_(1)) '],
    ['look [a] [b](https://x.y/) [c', 'look [a] [b](https://x.y/) '],
    ['run `npm i', 'run '],
    ['run `npm i` now ok', 'run `npm i` now '],
    ['look ![a chart](https://x', 'look '],
  ] as const)('%j is shown up to %j', ([text, shown]) => {
    const end = settledEnd(text, 0);
    expect(shown === '' ? text.slice(0, end).trimEnd() : text.slice(0, end)).toBe(
      shown === '' ? 'see' : shown,
    );
  });

  test('text that is shown piece by piece reads as the whole', () => {
    const unit = fc.constantFrom(
      'word ',
      '**b** ',
      '[l](https://x.y/z) ',
      '[a [b] c](https://x.y/z_(1)) ',
      '`c d` ',
      '\n',
      '```\ncode https://x.y\n```\n',
      'https://x.y/ ',
      '<!here> ',
      '![i](https://x.y/i) ',
    );
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (words, steps) => {
          const text = words.join('');
          let shown = '';
          let sent = 0;
          let n = 0;
          for (let length = 0; length < text.length; n++) {
            length = Math.min(text.length, length + (steps[n % steps.length] ?? 1));
            const end = length === text.length ? length : settledEnd(text.slice(0, length), sent);
            shown += streamPiece(text, 0, sent, end);
            sent = end;
          }
          // A link is enclosed in as many backticks as the text so far requires.
          const reads = (markdown: string) => markdown.replaceAll(/`+(https?:[^`]*)`+/g, '`$1`');
          expect(reads(shown)).toBe(reads(toStreamMarkdown(text)));
        },
      ),
    );
  });
});
