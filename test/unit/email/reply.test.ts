import { expect, test } from 'vitest';
import { replyTo } from '../../../shared/email/reply.ts';

const last = {
  id: '<m1@x.example>',
  subject: 'Hello',
  references: ['<m0@x.example>'],
  mailbox: 'help@acme.example',
};
const reply = (over: Partial<typeof last> = {}) =>
  replyTo({ ...last, ...over }, { to: 'bob@example.com', text: 'Hi.' });
const headersOf = (mail: ReturnType<typeof reply>) =>
  Object.fromEntries(mail.headers.map(({ name, value }) => [name, value]));

test('a reply names the mail and its thread, and says that a machine wrote it', () => {
  expect(headersOf(reply())).toMatchObject({
    'In-Reply-To': '<m1@x.example>',
    References: '<m0@x.example> <m1@x.example>',
    'Auto-Submitted': 'auto-replied',
  });
});

test.each([
  ['Hello', 'Re: Hello'],
  ['Re: Hello', 'Re: Hello'],
  ['AW: Hallo', 'AW: Hallo'],
  ['', 'Re: your mail'],
  ['A\r\nBcc: eve@evil.example', 'Re: A Bcc: eve@evil.example'],
  ['x\u2028y\u0000z', 'Re: x y z'],
])('the subject %j is answered as %j', (subject, answered) => {
  expect(reply({ subject }).subject).toBe(answered);
});

test('a long thread keeps its first id and its last ones, within a header of SES', () => {
  const references = Array.from({ length: 60 }, (_, i) => `<message-${i}@mail.example.com>`);
  const { References = '' } = headersOf(reply({ references }));
  expect(References.length).toBeLessThanOrEqual(870);
  expect(References.startsWith('<message-0@mail.example.com> ')).toBe(true);
  expect(References.endsWith('<message-59@mail.example.com> <m1@x.example>')).toBe(true);
});

test('ids that are no ids, and too long ones, are in no header', () => {
  const headers = headersOf(
    reply({ id: `<${'x'.repeat(900)}@y>`, references: ['<a\u00e9@x>', `<${'y'.repeat(500)}@z>`] }),
  );
  expect(headers['In-Reply-To']).toBeUndefined();
  expect(headers.References).toBeUndefined();
});
