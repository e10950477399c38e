import { describe, expect, test } from 'vitest';
import { authorize, type Credentials, requireAdmin } from '../../../functions/middleware/authorize.ts';
import type { Identity } from '../../../shared/contract/identity.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
const robot: Identity = { tenant: 'acme', subject: 'key:acme.0', kind: 'key' };

/** Records the requests. */
function credentials(without?: 'jwt') {
  const asked: string[] = [];
  const all: Credentials = {
    token: async () => {
      asked.push('token');
      return 'the-token';
    },
    key: async (text) => {
      asked.push('key');
      return text === 'sl_good' ? robot : undefined;
    },
    ...(!without && {
      jwt: async () => {
        asked.push('jwt');
        return ada;
      },
    }),
  };
  return { asked, all };
}

const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });

describe('authorize', () => {
  test.each<[string, string, string, object]>([
    [
      'the deployment’s token',
      'the-token',
      'token',
      { tenant: 'default', subject: 'operator', kind: 'token' },
    ],
    ['an API key', 'sl_good', 'key', robot],
    ['a JWT', 'aa.bb.cc', 'jwt', ada],
  ])('accepts %s, and checks nothing else', async (_name, text, asks, identity) => {
    const { asked, all } = credentials();
    expect(await authorize(bearer(text), all)).toEqual(identity);
    expect(asked).toEqual([asks]);
  });

  test.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic dGhlLXRva2Vu' }],
    ['the token without a scheme', { authorization: 'the-token' }],
    ['a wrong token', { authorization: 'Bearer the-tokem' }],
    ['nothing after the scheme', { authorization: 'Bearer ' }],
    ['an invalid key', { authorization: 'Bearer sl_bad' }],
    ['two tokens', { authorization: 'Bearer the-token the-token' }],
    ['the token in another header', { 'x-api-key': 'the-token' }],
  ])('refuses %s with 401', async (_name, headers) => {
    const { all } = credentials();
    await expect(authorize({ headers }, all)).rejects.toMatchObject({
      problem: { status: 401, title: 'Not authorized' },
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  test('lets no header choose the tenant', async () => {
    const { all } = credentials();
    const headers = { authorization: 'Bearer the-token', 'x-tenant': 'globex', tenant: 'globex' };
    expect(await authorize({ headers }, all)).toMatchObject({ tenant: 'default' });
  });

  test('accepts the header in any case: REST APIs keep its case', async () => {
    const { all } = credentials();
    expect(await authorize({ headers: { Authorization: 'bearer the-token' } }, all)).toMatchObject({
      kind: 'token',
    });
  });

  test('accepts no JWT while no issuer is configured, and says so', async () => {
    const { all } = credentials('jwt');
    await expect(authorize(bearer('aa.bb.cc'), all)).rejects.toMatchObject({
      problem: { status: 401, detail: expect.stringContaining('This deployment accepts no JWTs') },
    });
    const dotted = { ...all, token: async () => 'aa.bb.cc' };
    expect(await authorize(bearer('aa.bb.cc'), dotted)).toMatchObject({ kind: 'token' });
  });
});

describe('API keys may be managed by', () => {
  test.each<[string, Identity, boolean]>([
    ['the deployment’s token', { tenant: 'default', subject: 'operator', kind: 'token' }, true],
    ['a JWT with the role', { ...ada, roles: ['steploop-admin'] }, true],
    ['a JWT without it', ada, false],
    ['a JWT with a similar role', { ...ada, roles: ['steploop-administrator'] }, false],
    ['an API key', robot, false],
    ['an API key that claims the role', { ...robot, roles: ['steploop-admin'] }, false],
  ])('%s: %s', (_name, identity, may) => {
    const ask = () => requireAdmin(identity);
    if (may) expect(ask).not.toThrow();
    else expect(ask).toThrow(expect.objectContaining({ problem: expect.objectContaining({ status: 403 }) }));
  });
});
