import { expect, test } from 'vitest';
import { whyRefused } from '../../../local/stack/iam/pages.ts';
import { isSignedLink } from '../../../local/stack/services/presigned.ts';

const signed = { host: '127.0.0.1:4001', authorization: 'AWS4-HMAC-SHA256 Credential=x/…' };

test.each([
  ['an SDK on this machine', { headers: signed }],
  ['an SDK by another local name', { headers: { ...signed, host: 'bucket.localhost:4001' } }],
  [
    'a signed link of S3, from a page',
    { url: '/b/k?X-Amz-Signature=1', headers: { host: 'localhost:1', origin: 'https://a.test' } },
  ],
])('the embedded services answer to %s', (_who, request) => {
  expect(whyRefused(request, isSignedLink)).toBeUndefined();
});

test.each([
  ['a page', { ...signed, origin: 'https://evil.test' }, /web pages/],
  ['a page of this machine', { ...signed, origin: 'http://localhost:3000' }, /web pages/],
  ['an image on a page', { host: '127.0.0.1:4001', 'sec-fetch-site': 'cross-site' }, /web pages/],
  ['a name that was rebound to this machine', { ...signed, host: 'evil.test:4001' }, /host evil\.test/],
  ['a request without a host', { authorization: 'x' }, /host of no name/],
  ['an unsigned request', { host: 'localhost:4001' }, /not signed/],
])('the embedded services refuse %s', (_who, headers, why) => {
  expect(whyRefused({ headers })).toMatch(why);
});

test.each([
  ['as a part of a key', '/b/X-Amz-Signature=/k'],
  ['as a part of another parameter', '/b?list-type=2&prefix=X-Amz-Signature=1'],
])('a page passes no signature by writing its name: %s', (_where, url) => {
  const headers = { host: 'localhost:1', origin: 'https://evil.test' };
  expect(whyRefused({ headers, url }, isSignedLink)).toMatch(/web pages/);
});

test('a service without signed links takes none', () => {
  const headers = { host: 'localhost:1', origin: 'https://evil.test' };
  expect(whyRefused({ headers, url: '/?X-Amz-Signature=1' })).toMatch(/web pages/);
});
