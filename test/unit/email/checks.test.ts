import { describe, expect, test } from 'vitest';
import { isAddress, withoutLabel } from '../../../shared/email/address.ts';
import { foundBy, isAllowed, isAuthentic } from '../../../shared/email/authentic.ts';
import { isAutomatic } from '../../../shared/email/automatic.ts';

type Statuses = Partial<Record<'spam' | 'virus' | 'spf' | 'dkim' | 'dmarc', string>>;
const notified = ({ spam, virus, spf, dkim, dmarc }: Statuses, source = 'bob@example.com') => {
  const verdict = (status: string | undefined) => (status === undefined ? undefined : { status });
  return {
    receipt: {
      recipients: [],
      spamVerdict: verdict(spam),
      virusVerdict: verdict(virus),
      spfVerdict: verdict(spf),
      dkimVerdict: verdict(dkim),
      dmarcVerdict: verdict(dmarc),
      action: { type: 'S3' as const, bucketName: 'b', objectKey: 'k' },
    },
    mail: { messageId: 'm', source, timestamp: '2026-01-05T10:00:00Z' },
  };
};

describe('whether SES vouches for the sender', () => {
  const all = { spf: 'PASS', dkim: 'PASS' };
  test.each<[boolean, Statuses, string?]>([
    [true, { dmarc: 'PASS' }],
    [true, { dmarc: 'PASS', spf: 'FAIL' }],
    [false, { ...all, dmarc: 'FAIL' }],
    [false, { ...all, dmarc: 'PROCESSING_FAILED' }],
    [false, all],
    [false, {}],
    [true, { dmarc: 'GRAY', spf: 'PASS' }],
    // DKIM passes for any domain that signs.
    [false, { dmarc: 'GRAY', dkim: 'PASS', spf: 'FAIL' }],
    [false, { ...all, dmarc: 'GRAY' }, 'x@evil.example'],
    [false, { ...all, dmarc: 'GRAY' }, 'x@mail.example.com'],
    [false, { ...all, dmarc: 'GRAY' }, ''],
  ])('%s for %o from %s', (expected, statuses, source) => {
    expect(isAuthentic(notified(statuses, source), 'bob@example.com')).toBe(expected);
  });
});

test.each<[string | undefined, Statuses]>([
  ['virus', { virus: 'FAIL', spam: 'FAIL' }],
  ['spam', { virus: 'PASS', spam: 'FAIL' }],
  [undefined, { virus: 'GRAY', spam: 'PROCESSING_FAILED' }],
])('SES finds %s in %o', (found, statuses) => {
  expect(foundBy(notified(statuses))).toBe(found);
});

test.each<[boolean, string, 'anyone' | string[]]>([
  [true, 'bob@example.com', 'anyone'],
  [true, 'bob@example.com', ['@example.com']],
  [true, 'bob@example.com', ['bob@example.com']],
  [false, 'eve@example.com', ['bob@example.com']],
  [false, 'bob@sub.example.com', ['@example.com']],
  [false, 'bob@notexample.com', ['@example.com']],
  [false, 'bob@example.com.evil.example', ['@example.com']],
])('%s: %s may write to a mailbox for %o', (expected, from, allow) => {
  expect(isAllowed(from, { allow })).toBe(expected);
});

describe('automatic mails', () => {
  const own = ['help@acme.example'];
  const automatic = (headers: Record<string, string>, from = 'bob@example.com', source = from) =>
    isAutomatic({ from, header: (name) => headers[name] }, source, own);

  test.each<[string, Record<string, string>, string?, string?]>([
    ['an auto-reply', { 'auto-submitted': 'auto-replied' }],
    ['one with parameters', { 'auto-submitted': 'Auto-Generated; type=x' }],
    ['bulk mail', { precedence: 'Bulk' }],
    ['a list', { 'list-id': '<x.example>' }],
    ['a newsletter', { 'list-unsubscribe': '<mailto:u@x.example>' }],
    ['an old auto-reply', { 'x-autoreply': 'yes' }],
    ['a bounce by its report', { 'content-type': 'multipart/report; report-type=delivery-status' }],
    ['a bounce by its envelope', {}, 'bob@example.com', ''],
    ['a bounce by its sender', {}, 'MAILER-DAEMON@example.com'.toLowerCase()],
    ['a no-reply address', {}, 'no-reply@example.com'],
    ['a mail of our own', {}, 'help@acme.example'],
    ['a mail of our own with a label', {}, 'help+x@acme.example'],
    ['a forwarded mail of our own', { 'x-steploop': '1' }],
  ])('%s is one', (_what, headers, from, source) => {
    expect(automatic(headers, from, source)).toBe(true);
  });

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['no', { 'auto-submitted': 'no' }],
    ['a priority', { precedence: 'first-class' }],
    ['parts', { 'content-type': 'multipart/alternative; boundary=x' }],
  ])('%s marks a mail of a person', (_what, headers) => {
    expect(automatic(headers)).toBe(false);
  });
});

test('labels are not part of a mailbox', () => {
  expect(withoutLabel('Help+Case7@Acme.Example')).toBe('help@acme.example');
  expect(withoutLabel('+x@acme.example')).toBe('+x@acme.example');
});

test.each([
  'a@b.example\r\nBcc: x@y.example',
  'a@b.example, c@d.example',
  '<a@b.example>',
  'a@b',
  '"a b"@c.example',
  '',
])('%j is no plain address', (text) => {
  expect(isAddress(text)).toBe(false);
});
