import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPlainMarkdown } from '../../../shared/slack/mrkdwn.ts';
import { toStreamMarkdown } from '../../../shared/slack/stream-markdown.ts';

test.for([
  ['see <https://a.example/b_c?d=1&amp;e=2|the docs>', 'see [the docs](https://a.example/b_c?d=1&e=2)'],
  ['<https://a.example>', 'https://a.example'],
  ['<http://a.example|a.example>', 'http://a.example'],
  ['<https://a.example/(x)|y>', '[y](<https://a.example/(x)>)'],
  ['<https://a.example|a [b] c>', '[a \\[b\\] c](https://a.example)'],
  ['<mailto:a@b.example|a@b.example>', 'a@b.example'],
  ['hi <@U123|ada> and <@U9>', 'hi <@U123> and <@U9>'],
  ['in <#C1|general>, <#C2>, <#C3|>', 'in #general, <#C2>, <#C3>'],
  ['<!here> <!channel|channel> <!subteam^S1|@ops> <!subteam^S1>', '@here @channel @ops @S1'],
  ['<!date^1392734382^{date} at {time}|February 18th, 2014>', 'February 18th, 2014'],
  ['<!date^1392734382^{date}>', '2014-02-18T14:39:42.000Z'],
  ['<!date^99999999999999^{date}>', '@99999999999999'],
  ['*bold* _it_ ~gone~ 2*3*4', '*bold* _it_ ~gone~ 2*3*4'],
  [
    '`curl <https://a.example|a.example>` &amp;&amp; ```x &lt; <https://b.example>```',
    '`curl a.example` && ```x < https://b.example```',
  ],
  ['a &lt;b&gt; &amp;lt; c', 'a <b> &lt; c'],
] as const)('%j reads as %j', ([mrkdwn, markdown]) => {
  expect(toPlainMarkdown(mrkdwn)).toBe(markdown);
});

test('nothing but users and unnamed channels keeps the markup of Slack, and repeating it mentions no group', () => {
  const unit = fc.constantFrom(
    '<',
    '>',
    '!',
    'here',
    '@U1',
    '#C1',
    '|',
    'x',
    '^',
    'https://x.y',
    '&lt;',
    '&gt;',
    '`',
    '\n',
  );
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(toStreamMarkdown(toPlainMarkdown(text))).not.toMatch(/<!(?:here|channel|everyone)/);
    }),
  );
});
