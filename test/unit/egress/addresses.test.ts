import { describe, expect, test } from 'vitest';
import { mayCall, parsePublicUrl } from '../../../shared/egress/addresses.ts';
import { inside, notPublic, outside } from '../../support/addresses.ts';

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

  test.each(notPublic)('not %s', (text, why) => {
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
