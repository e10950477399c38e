import { describe, expect, test } from 'vitest';
import { mayCall, parsePublicUrl } from '../../../shared/egress/addresses.ts';

const inside = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.8.9.10',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:a9fe:a9fe',
  '::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
];
const outside = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
];

describe('addresses that may be called', () => {
  test.each(inside)('not %s', (address) => expect(mayCall(address)).toBe(false));
  test.each(outside)('%s', (address) => expect(mayCall(address)).toBe(true));
  test('not text that is no address', () => {
    for (const text of ['', 'localhost', '1.2.3', '0x7f000001', '8.8.8.8 '])
      expect(mayCall(text)).toBe(false);
  });
  test('on a laptop also its own addresses, and no other internal ones', () => {
    const local = inside.filter((address) => mayCall(address, true));
    expect(local).toEqual(['127.0.0.1', '127.8.9.10', '::1']);
  });
});

describe('callback URLs', () => {
  test.each([
    'https://example.com/hook',
    'https://example.com:8443/hook?x=1',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/x',
    'https://bücher.example.com/',
  ])('%s', (text) => expect(parsePublicUrl(text, false)).toHaveProperty('url'));

  test.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['javascript:alert(1)', 'https'],
    ['not a url', 'URL'],
    ['//example.com', 'URL'],
    ['https://user:pass@example.com/', 'password'],
    ['https://user@example.com/', 'password'],
    ['https://localhost/', 'public'],
    ['https://localhost./', 'public'],
    ['https://a.localhost/', 'public'],
    ['https://intranet/', 'public'],
    ['https://printer.local/', 'public'],
    ['https://ip-10-0-0-1.ec2.internal/', 'public'],
    ['https://metadata.google.internal/', 'public'],
    ['https://127.0.0.1/', 'public'],
    ['https://2130706433/', 'public'],
    ['https://0x7f.1/', 'public'],
    ['https://0177.0.0.1/', 'public'],
    ['https://127.1/', 'public'],
    ['https://１２７.0.0.1/', 'public'],
    ['https://169.254.169.254/latest/meta-data/', 'public'],
    ['https://[::1]/', 'public'],
    ['https://[::ffff:169.254.169.254]/', 'public'],
    ['https://[fd00:ec2::254]/', 'public'],
    ['https://10.0.0.1/', 'public'],
    ['http://127.0.0.1:8080/', 'https'],
    [`https://example.com/${'x'.repeat(2048)}`, '2048'],
  ])('not %s', (text, why) => {
    expect(parsePublicUrl(text, false)).toMatchObject({ refused: expect.stringContaining(why) });
  });

  test.each(['http://127.0.0.1:1/x', 'http://localhost:1/', 'http://[::1]:1/', 'https://127.0.0.1/'])(
    'on a laptop also %s',
    (text) => expect(parsePublicUrl(text, true)).toHaveProperty('url'),
  );
  test.each([
    'http://example.com/',
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::ffff:7f00:1]/',
  ])('and still not %s', (text) => expect(parsePublicUrl(text, true)).toHaveProperty('refused'));

  test('a fragment is not sent', () => {
    expect(parsePublicUrl('https://example.com/a#b', false)).toMatchObject({
      url: { href: 'https://example.com/a' },
    });
  });
});
