import { describe, expect, test } from 'vitest';
import { credentialIn } from '../../../shared/agent/memories/credentials.ts';

/** In pieces, so that no scanner mistakes this file for a leak. */
const of = (...parts: readonly string[]) => parts.join('');

describe('a credential is recognized by its form', () => {
  test.each<[what: string, text: string]>([
    ['a private key', of('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIE')],
    ['a Steploop API key', of('use sl_', 'acme.k3v9x0q2m1za_', '5f'.repeat(32))],
    ['an AWS access key', of('key AK', 'IAIOSFODNN7EXAMPLE')],
    ['a GitHub token', of('gh', 'p_', 'a1B2'.repeat(9))],
    ['a GitHub token', of('github', '_pat_', 'a1B2'.repeat(9))],
    ['a GitLab token', of('glp', 'at-', 'a1B2'.repeat(5))],
    ['a Slack token', of('xo', 'xb-', '1234567890-abc')],
    ['an API key of a model server or a payment service', of('sk', '-ant-api03-', 'a1B2'.repeat(9))],
    ['an API key of a model server or a payment service', of('sk', '_live_', 'a1B2'.repeat(6))],
    ['a webhook secret', of('whs', 'ec_', 'a1B2'.repeat(6))],
    ['a Google API key', of('AI', 'za', 'a1B2c'.repeat(7))],
    ['a JWT', of('ey', 'JhbGciOiJIUzI1NiJ9.', 'ey', 'JzdWIiOiIxMjM0In0.', 'abc')],
    ['a bearer token', of('Authorization: Bea', 'rer ', 'a1B2'.repeat(5))],
    ['a URL with a password', of('postgres://app:', 'hunter2@db/prod')],
    ['a password', 'The wifi password is Hunter2!'],
    ['a password', 'password: correct-horse-9'],
    ['a password', 'Das Passwort ist Sommer2026'],
    ['a password', 'API_KEY="a1b2c3d4e5"'],
    ['a password', 'client secret = a1b2c3d4e5'],
  ])('%s: %s', (what, text) => {
    expect(credentialIn(`Remember this: ${text} and so on`)).toBe(what);
  });

  test.each([
    'The password is kept in 1Password, in the vault Operations.',
    'The password policy is reviewed in 2026.',
    'The token budget of a run is 5,000.',
    'Passwords expire after 90 days.',
    'The API key is rotated every Monday by Ada.',
    'Basket-weaving-in-the-afternoon-2026 is the name of the course.',
    'See https://example.com:8080/a@b for the runbook.',
    'Her email is ada@example.com, phone +44 20 7946 0000.',
    'Commit 163085db65bb9c2b5f70805dfbe493085db93b1e broke the build.',
    'The task-force-of-the-quarter meets on Fridays.',
  ])('other text is accepted: %s', (text) => {
    expect(credentialIn(text)).toBeUndefined();
  });

  test('a long text that almost matches costs no time', () => {
    for (const text of ['sk-'.repeat(700), 'bearer '.repeat(280), 'a://'.repeat(500), 'eyJ'.repeat(700)])
      credentialIn(text);
  });
});
