import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../../shared/agent/plain/redact.ts';
import { redacted } from '../../../shared/agent/plain/redacted-json.ts';

const R = '[redacted]';

describe('a text without secrets', () => {
  test.each([
    ['Incorrect API key provided: sk-proj-abcd1234efgh', `Incorrect API key provided: ${R}`],
    ['bad key sk-ant-api03-AAAA-BBBB', `bad key ${R}`],
    ['Authorization: Bearer abc.def-ghi', `Authorization: ${R}`],
    ['sent Bearer abcd1234', `sent Bearer ${R}`],
    ['sent Basic dXNlcjpwYXNz', `sent Basic ${R}`],
    [
      'connect ECONNREFUSED postgres://app:hunter22@db:5432/x',
      `connect ECONNREFUSED postgres://app:${R}@db:5432/x`,
    ],
    ['token=abcdef&x=1', `token=${R}&x=1`],
    ['{"access_token":"ya29.abcdefghij","n":1}', `{"access_token":"${R}","n":1}`],
    ['{"password": "hunter22"}', `{"password": "${R}"}`],
    ['client_secret=abc123', `client_secret=${R}`],
    ['run: deploy --api-key hunter22 --now', `run: deploy --api-key ${R} --now`],
    ['ghp_0123456789abcdef is invalid', `${R} is invalid`],
    ['xoxb-1234-5678-abcdef', R],
    ['AKIAIOSFODNN7EXAMPLE is not allowed', `${R} is not allowed`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', R],
    [`a key sl_acme.aaaaaaaaaaaa_${'0'.repeat(64)} x`, `a key ${R} x`],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', R],
  ])('%s', (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  test.each([
    'max_tokens: 8192 is too large for claude-sonnet',
    'prompt is too long: 215000 tokens > 200000 maximum',
    'input tokens = 9000 exceed the limit',
    'invalid x-api-key',
    'Unexpected token < in JSON at position 0',
    'arn:aws:bedrock:us-east-1:1:inference-profile/x',
    'getaddrinfo ENOTFOUND api.example.com',
    'the secret KEY has no entry for this tenant',
    'https://example.com:8443/path?x=1',
    'SyntaxError: Unexpected token: function',
  ])('keeps what an error needs: %s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test('known values go in whatever form, and short ones are no secrets', () => {
    expect(withoutSecrets('you sent correct-horse!', ['correct-horse', 'a', ''])).toBe(`you sent ${R}!`);
  });

  test('takes a time that grows with the text alone', () => {
    for (const piece of [
      'secret',
      '://a:',
      '-----BEGIN PRIVATE KEY',
      'bearer ',
      ' --token-',
      'eyJaaaaaa',
      'basic ',
    ]) {
      const began = performance.now();
      withoutSecrets(piece.repeat(20_000));
      // Ten times what it takes on a busy machine; a square would take minutes.
      expect(performance.now() - began, piece).toBeLessThan(10_000);
    }
  });

  test('a value is shown without the values of its secret names', () => {
    expect(redacted({ apiKey: 'x', url: 'https://u:pass@h/' }, 100)).toBe(
      `{"apiKey":"${R}","url":"https://u:${R}@h/"}`,
    );
  });
});
