import { generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { attempt } from '../attempts.ts';
import { raw, type Target } from '../target.ts';

const KIND = 'forged credentials';
const now = () => Math.floor(Date.now() / 1000);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

/** Headers that are made of nothing, of good credentials that were changed, or of tokens by another signer. */
const forged: readonly [what: string, headers: (it: Target) => Promise<Record<string, string>>][] = [
  ['none', async () => ({})],
  ['the token under another scheme', async ({ world }) => ({ authorization: `Basic ${world.token}` })],
  ['the token without a scheme', async ({ world }) => ({ authorization: world.token })],
  ['the token in another header', async ({ world }) => ({ 'x-api-key': world.token })],
  ['the token in a cookie', async ({ world }) => ({ cookie: `authorization=Bearer ${world.token}` })],
  ['a part of the token', async ({ world }) => bearer(world.token.slice(0, -1))],
  ['the token and more', async ({ world }) => bearer(`${world.token}x`)],
  ['the token in capitals', async ({ world }) => bearer(`${world.token.toUpperCase()}x`)],
  ['the token twice', async ({ world }) => bearer(`${world.token} ${world.token}`)],
  ['an object’s own name', async () => bearer('__proto__')],
  ['a key without its secret', async (it) => bearer((await key(it)).slice(0, -64))],
  ['a key with another secret', async (it) => bearer((await key(it)).slice(0, -64) + '0'.repeat(64))],
  ['a key of another tenant', async (it) => bearer((await key(it)).replace('acme', 'globex'))],
  ['a key whose tenant has a separator', async (it) => bearer((await key(it)).replace('acme', 'a#b'))],
  ['an expired JWT', async ({ idp }) => bearer(await idp.token({ exp: now() - 60 }))],
  ['a JWT of the future', async ({ idp }) => bearer(await idp.token({ nbf: now() + 3600 }))],
  ['a JWT for another audience', async ({ idp }) => bearer(await idp.token({ aud: 'billing' }))],
  ['a JWT of another issuer', async ({ idp }) => bearer(await idp.token({ iss: 'https://evil.example' }))],
  ['a JWT without a subject', async ({ idp }) => bearer(await idp.token({ sub: '' }))],
  ['a JWT that never expires', async ({ idp }) => bearer(await idp.token({ exp: undefined }))],
  [
    'a JWT by another signer, with the issuer’s key id',
    async ({ idp }) => bearer(await idp.token({}, { key: (await generateKeyPair('RS256')).privateKey })),
  ],
  [
    'a JWT whose key id is a path',
    async ({ idp }) => bearer(await idp.token({}, { kid: '../../../../etc/passwd' })),
  ],
  ['a JWT without a signature', async (it) => bearer(await unsigned(it, 'none'))],
  ['a JWT without a signature, in another spelling', async (it) => bearer(await unsigned(it, 'NonE'))],
  [
    'a JWT with another payload',
    async ({ idp }) => {
      const [header, , signature] = (await idp.token()).split('.');
      const [, payload] = (await idp.token({ tenant: 'globex' })).split('.');
      return bearer(`${header}.${payload}.${signature}`);
    },
  ],
  [
    'a JWT signed with a text that everybody knows',
    async ({ idp }) =>
      bearer(await idp.token({}, { alg: 'HS256', key: new TextEncoder().encode('s'.repeat(32)) })),
  ],
];

let minted: Promise<string> | undefined;
const key = (it: Target): Promise<string> => {
  minted ??= it
    .user('root', 'steploop-admin')
    .then((root) => root('POST', '/keys', { name: 'k' }))
    .then(({ body }) => body.key);
  return minted;
};

const unsigned = async ({ idp }: Target, alg: string) =>
  `${base64url({ alg })}.${(await idp.token()).split('.')[1]}.`;

/** Tenants that no JWT may name: each would be a part of a key of the table. */
const tenants: readonly unknown[] = [
  undefined,
  '',
  7,
  ['acme'],
  'a#b',
  '../acme',
  'acme ',
  'a'.repeat(65),
  '*',
];

/** Doors that take credentials: the HTTP API and the function of the pages have a check each. */
const doors = [
  ['GET', '/sessions'],
  ['POST', '/tickets'],
  ['POST', '/agui'],
  ['POST', '/chat'],
] as const;

export function forgedCredentials(it: () => Target): void {
  describe.each(doors)('at %s %s', (method, path) => {
    const urlOf = ({ HttpUrl, AguiUrl }: Target['world']['stack']['outputs']) =>
      /agui|chat/.test(path) ? AguiUrl : HttpUrl;
    test.each(forged)('%s is no credential', async (_what, headersOf) => {
      attempt(KIND);
      const headers = await headersOf(it());
      const answer = await raw(urlOf(it().world.stack.outputs), method, path, { headers });
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.text)).toMatchObject({ title: 'Not authorized' });
    });
  });

  test.each(tenants)('a JWT of the tenant %j is refused', async (tenant) => {
    attempt(KIND);
    const answer = await it().as(await it().idp.token({ tenant }))('GET', '/sessions');
    expect([401, 403]).toContain(answer.status);
  });

  test.each(['', '?ticket=', '?ticket=made-up', '?ticket=__proto__', `?ticket=${'x'.repeat(5_000)}`])(
    'no WebSocket is opened with %s',
    async (query) => {
      attempt(KIND);
      expect(await opens(`${it().world.stack.outputs.SocketUrl}${query}`)).toBe(false);
    },
  );

  test('a ticket opens one WebSocket, once', async () => {
    attempt('replays');
    const { body } = await it().world.api('POST', '/tickets');
    const url = `${it().world.stack.outputs.SocketUrl}?ticket=${body.ticket}`;
    expect(await opens(url)).toBe(true);
    expect(await opens(url)).toBe(false);
  });
}

const opens = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => {
      socket.close();
      resolve(true);
    };
    socket.onerror = () => resolve(false);
  });
