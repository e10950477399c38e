import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { contentPolicy, findConfig } from '../../../functions/console/config.ts';
import { pageOf } from '../../../functions/console/page.ts';

const files = { 'index.html': '<p>page</p>', 'assets/a-1.js': 'run()', 'assets/a-1.js.map': '{}' };
const page = pageOf({
  files: new Set(Object.keys(files)),
  read: (name) => Buffer.from(files[name as keyof typeof files]),
  policy: "default-src 'none'",
});

test('every path within the page serves the page, under its content policy and uncached', () => {
  for (const path of ['', 'sessions/s1', '../../../etc/passwd', 'index.html'])
    expect(page(path, '')).toMatchObject({
      statusCode: 200,
      body: '<p>page</p>',
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    });
});

test('an asset is cached forever, and compressed for clients that accept it', () => {
  const answer = page('assets/a-1.js', 'br, gzip');
  expect(answer).toMatchObject({
    isBase64Encoded: true,
    headers: { 'content-encoding': 'gzip', 'cache-control': 'public, max-age=31536000, immutable' },
  });
  expect(gunzipSync(Buffer.from(String(answer.body), 'base64')).toString()).toBe('run()');
  expect(page('assets/a-1.js', '')).toMatchObject({ isBase64Encoded: false, body: 'run()' });
});

test('a missing asset does not serve the page, nor does one of a type that is not served', () => {
  expect(page('assets/old.js', '').statusCode).toBe(404);
  expect(page('assets/a-1.js.map', '').statusCode).toBe(404);
});

test('the page may connect to the APIs and to the issuer, if people sign in there', () => {
  const socketUrl = 'wss://abc.execute-api.eu-central-1.amazonaws.com/live';
  const none = findConfig({
    socketUrl,
    issuer: undefined,
    audiences: undefined,
    clientId: undefined,
    origins: undefined,
  });
  expect(none.told).toEqual({ socketUrl });
  expect(contentPolicy(none)).toContain(
    "connect-src 'self' wss://abc.execute-api.eu-central-1.amazonaws.com;",
  );
  const oidc = findConfig({
    socketUrl,
    issuer: 'https://id.example.com/realm',
    audiences: 'api, page',
    clientId: 'page',
    origins: 'https://token.example.com',
  });
  expect(oidc.told.oidc).toEqual({
    issuer: 'https://id.example.com/realm',
    clientId: 'page',
    token: 'id_token',
  });
  expect(contentPolicy(oidc)).toContain(
    "connect-src 'self' wss://abc.execute-api.eu-central-1.amazonaws.com https://id.example.com https://token.example.com;",
  );
});
