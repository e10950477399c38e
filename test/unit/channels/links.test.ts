import { expect, test } from 'vitest';
import { linkToken, readLink } from '../../../shared/channels/links.ts';

const link = {
  tenant: 'acme',
  sessionId: 's1',
  waitId: 'w1',
  person: 'email:bob@example.com',
  expiresAt: 10_000_000,
};
const token = linkToken(link, 'new old');
const forge = (change: object) => {
  const [body = '', mac] = token.split('.');
  const parsed = JSON.parse(Buffer.from(body, 'base64url').toString());
  return `${Buffer.from(JSON.stringify({ ...parsed, ...change })).toString('base64url')}.${mac}`;
};

test('a link is read with any one of the secrets, until it expires', () => {
  expect(readLink(token, 'new', 9_999_000)).toEqual(link);
  expect(readLink(linkToken(link, 'old'), 'new old', 0)).toEqual(link);
  expect(readLink(token, 'new old', 10_000_000)).toBe('expired');
});

test.each<[string, string]>([
  ['another person', forge({ p: 'email:eve@example.com' })],
  ['another session', forge({ s: 's2' })],
  ['another tenant', forge({ t: 'other' })],
  ['another wait', forge({ w: 'w2' })],
  ['a later end', forge({ e: 99_999_999 })],
  ['more fields', forge({ x: 1 })],
  ['no signature', token.split('.')[0] ?? ''],
  ['an empty signature', `${token.split('.')[0]}.`],
  ['more parts', `${token}.x`],
  ['other secrets', linkToken(link, 'stolen')],
  ['nothing', ''],
  ['a long text', 'x'.repeat(100_000)],
])('a token with %s is forged', (_what, forged) => {
  expect(readLink(forged, 'new old', 0)).toBe('forged');
});
