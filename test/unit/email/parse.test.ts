import { describe, expect, test } from 'vitest';
import { type Mail, parseMail } from '../../../shared/email/parse.ts';
import { promptOf } from '../../../shared/email/text.ts';

const raw = (head: string | string[], body = '', encoding: BufferEncoding = 'latin1') =>
  Buffer.from(`${[head].flat().join('\r\n')}\r\n\r\n${body}`, encoding);
const parsed = async (...mail: Parameters<typeof raw>): Promise<Mail> => {
  const result = await parseMail(raw(...mail));
  if (typeof result === 'string') throw new Error(result);
  return result;
};
const from = 'From: Bob <Bob@Example.com>';

describe('From', () => {
  test.each<[string, string | string[]]>([
    ['none', 'Subject: x'],
    ['two fields', ['From: a@b.example', 'From: c@d.example']],
    ['two addresses', 'From: a@b.example, c@d.example'],
    ['an address before another', 'From: <a@b.example> <c@d.example>'],
    ['a group', 'From: Team: a@b.example, c@d.example;'],
    ['an address in the name, unquoted', 'From: boss@acme.example <c@d.example>'],
    ['no address', 'From: Bob'],
    ['an encoded address', 'From: =?utf-8?q?a=40b=2Eexample=00?= <>'],
  ])('with %s is not clear', async (_what, head) => {
    expect(await parseMail(raw(head, 'x'))).toBe('from_is_unclear');
  });

  test.each<[string, string]>([
    ['From: Bob@Example.com', 'bob@example.com'],
    ['From: "Bob, the one" <bob@example.com>', 'bob@example.com'],
    ['From: "bob@acme.example" <c@d.example>', 'c@d.example'],
    ['From: bob@example.com (Bob)', 'bob@example.com'],
  ])('%s is clear', async (head, address) => {
    expect((await parsed(head)).from).toBe(address);
  });
});

test.each<[string, string, string, BufferEncoding, string]>([
  ['iso-8859-1', 'text/plain; charset=iso-8859-1', 'Gr\xfc\xdfe', 'latin1', 'Grüße'],
  ['windows-1252', 'text/plain; charset=windows-1252', '\x93x\x94', 'latin1', '“x”'],
  // zammad/zammad issue 6144, with its charset.
  ['iso-2022-jp', 'text/plain; charset=iso-2022-jp', '\x1b$B%F%9%H\x1b(B', 'latin1', 'テスト'],
  // nodemailer/mailparser issue 161.
  ['gbk', 'text/plain; charset=gbk', '\xc4\xe3\xba\xc3', 'latin1', '你好'],
  ['an unknown charset', 'text/plain; charset=x-none', 'plain', 'latin1', 'plain'],
  ['no charset', 'text/plain', 'Grüße', 'utf8', 'Grüße'],
])('a body in %s is read', async (_what, type, body, encoding, text) => {
  const mail = await parsed(
    [from, 'MIME-Version: 1.0', `Content-Type: ${type}`, 'Content-Transfer-Encoding: 8bit'],
    body,
    encoding,
  );
  expect(promptOf(mail, false)).toBe(text);
});

test('encoded words and odd names are read, and a subject is one line', async () => {
  const mail = await parsed([
    'From: =?utf-8?q?B=C3=B6b?= <b@x.example>',
    'Subject: =?utf-8?b?QQ0KQmNjOiB4QHkuZXhhbXBsZQ==?=',
  ]);
  expect(mail.name).toBe('Böb');
  expect(mail.subject).toBe('A Bcc: x@y.example');
});

describe('HTML alone, in a reply', () => {
  const attr = (words: string) => `<div class="gmail_attr">${words}</div>`;
  test.each([
    [
      'whose own words stand in the quote',
      '<blockquote type="cite"><p>Which colour?</p></blockquote>',
      'Which colour?',
    ],
    [
      'that forwards a mail',
      `<p>See below.</p><div class="gmail_quote">${attr('---------- Forwarded message ---------<br>From: Ann')}<p>The numbers.</p></div>`,
      'The numbers.',
    ],
  ])('%s keeps them', async (_what, html, kept) => {
    const mail = await parsed([from, 'Content-Type: text/html; charset=utf-8'], html);
    expect(promptOf(mail, true)).toContain(kept);
  });

  test('that answers above a mail in whose history one was forwarded has its answer alone', async () => {
    const html = `<p>Fine.</p><div class="gmail_quote">${attr('On Mon, Jan 5, 2026 at 10:00 AM Ann &lt;ann@x.example&gt; wrote:')}<blockquote class="gmail_quote"><p>Look.</p>---------- Forwarded message ---------<p>Old.</p></blockquote></div>`;
    const mail = await parsed([from, 'Content-Type: text/html; charset=utf-8'], html);
    expect(promptOf(mail, true)).toBe('Fine.');
  });
});

test('HTML alone becomes text, without its script and its quoted history', async () => {
  const html =
    '<style>a{}</style><p>Yes &amp; <b>no</b></p><script>x</script><div class="gmail_quote">old</div>';
  const mail = await parsed([from, 'Content-Type: text/html; charset=utf-8'], html);
  expect(promptOf({ ...mail, subject: '' }, true)).toBe('Yes & no');
  expect(promptOf({ ...mail, subject: '' }, false)).toContain('old');
});

test('ids of a thread: the newest first for the search, bounded, and without anything else', async () => {
  const many = Array.from({ length: 200 }, (_, i) => `<${i}@x>`).join('\r\n ');
  const mail = await parsed([
    from,
    'Message-ID: <own@x>',
    'In-Reply-To: <last@x> junk',
    `References: ${many}`,
  ]);
  expect(mail.messageId).toBe('<own@x>');
  expect(mail.replyTo.slice(0, 2)).toEqual(['<last@x>', '<199@x>']);
  expect(mail.replyTo).toHaveLength(20);
  expect(mail.references[0]).toBe('<0@x>');
});

describe('bounds', () => {
  const multipart = [from, 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'];
  test('of files: the first ten are taken', async () => {
    const part =
      '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\n1\r\n';
    const mail = await parsed(multipart, `${part.repeat(500)}--b--`);
    expect(mail.files).toHaveLength(10);
    expect(mail.filesLeftOut).toBe(490);
    expect(await parseMail(raw(multipart, `${part.repeat(50_000)}--b--`))).toBe('unreadable');
  });

  test('of depth and of headers', async () => {
    const deep = Array.from(
      { length: 60 },
      (_, i) => `--b${i}\r\nContent-Type: multipart/mixed; boundary=b${i + 1}\r\n\r\n`,
    );
    const nested = [from, 'Content-Type: multipart/mixed; boundary=b0'];
    expect(await parseMail(raw(nested, deep.join('')))).toBe('unreadable');
    expect(await parseMail(raw([from, `X-Long: ${'x'.repeat(300_000)}`]))).toBe('unreadable');
  });

  test('a mail in a mail is a file, and its sender counts for nothing', async () => {
    const inner = 'From: boss@acme.example\r\nSubject: Inner\r\n\r\nPay it.';
    const mail = await parsed(multipart, `--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b--`);
    expect(mail.from).toBe('bob@example.com');
    expect(mail.text ?? '').not.toContain('Pay it.');
    expect(mail.files).toHaveLength(1);
  });

  test('of text', async () => {
    const mail = await parsed([from, 'Content-Type: text/plain'], 'word '.repeat(100_000));
    expect(promptOf(mail, false).length).toBeLessThanOrEqual(96_000);
    expect(promptOf(mail, false)).toContain('[cut: the whole has');
  });

  test('of HTML that is nested absurdly', async () => {
    const mail = await parsed([from, 'Content-Type: text/html'], '<div>'.repeat(50_000));
    expect(promptOf({ ...mail, text: undefined }, false)).toBe('');
  });
});
