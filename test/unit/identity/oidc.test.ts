import { type CryptoKey, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ALGORITHMS, createOidc } from '../../../functions/middleware/oidc.ts';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { type OidcIssuer, startOidcIssuer } from '../../support/oidc-issuer.ts';
import { writtenBy } from '../../support/written.ts';

let idp: OidcIssuer;
let verify: (token: string) => Promise<unknown>;
const optionsOf = ({ issuer, audience }: OidcIssuer) => ({
  issuer,
  audiences: ['other', audience],
  tenantClaim: 'tenant',
  rolesClaim: 'roles',
});
beforeEach(async () => {
  idp = await startOidcIssuer();
  verify = createOidc(optionsOf(idp));
});
afterEach(async () => {
  vi.useRealTimers();
  await idp[Symbol.asyncDispose]();
});

/** The problem document of a refused token. */
async function problemOf(token: string | Promise<string>) {
  const error = await verify(await token).then(
    (identity) => new Error(`it was taken, as ${JSON.stringify(identity)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refusal)) throw error;
  return error.problem;
}

const now = () => Math.floor(Date.now() / 1000);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a valid token', () => {
  test('belongs to its tenant and its subject', async () => {
    expect(await verify(await idp.token())).toEqual({
      tenant: 'acme',
      subject: 'user:ada',
      kind: 'jwt',
      roles: [],
      expiresAt: expect.any(Number),
    });
  });

  test('reports its expiry, with the tolerance of its verification', async () => {
    const exp = Math.floor(Date.now() / 1000) + 100;
    expect(await verify(await idp.token({ exp }))).toMatchObject({ expiresAt: (exp + 30) * 1000 });
  });

  test.each([
    ['a list', ['steploop-admin', 7, 'reader'], ['steploop-admin', 'reader']],
    ['a text', 'steploop-admin reader', ['steploop-admin', 'reader']],
    ['something else', { admin: true }, []],
  ])('names its roles as %s', async (_name, roles, expected) => {
    expect(await verify(await idp.token({ roles }))).toMatchObject({ roles: expected });
  });

  test('may be for one of several audiences', async () => {
    expect(await verify(await idp.token({ aud: ['elsewhere', 'steploop'] }))).toMatchObject({
      tenant: 'acme',
    });
  });

  test('is accepted a few seconds early or late: clocks differ', async () => {
    const token = await idp.token({ nbf: now() + 20, exp: now() - 20 });
    expect(await verify(token)).toMatchObject({ subject: 'user:ada' });
  });

  test.each(['ES256', 'EdDSA', 'PS256'])('may be signed with %s', async (alg) => {
    await using other = await startOidcIssuer(alg);
    const token = await other.token();
    expect(await createOidc(optionsOf(other))(token)).toMatchObject({ tenant: 'acme' });
  });

  test('may name its tenant in another claim', async () => {
    const claims = { tenant: 'wrong', 'https://example.com/tenant': 'globex', 'cognito:groups': ['a'] };
    const custom = createOidc({
      ...optionsOf(idp),
      tenantClaim: 'https://example.com/tenant',
      rolesClaim: 'cognito:groups',
    });
    expect(await custom(await idp.token(claims))).toMatchObject({ tenant: 'globex', roles: ['a'] });
  });
});

describe('401 for a token', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['that has expired', { exp: now() - 60 }, 'has expired'],
    ['that is not valid yet', { nbf: now() + 3600 }, '"nbf"'],
    ['that never expires', { exp: undefined }, '"exp"'],
    ['for another audience', { aud: 'billing' }, '"aud"'],
    ['for no audience', { aud: undefined }, '"aud"'],
    ['of another issuer', { iss: 'https://evil.example' }, '"iss"'],
    ['of no issuer', { iss: undefined }, '"iss"'],
    ['without a subject', { sub: undefined }, '"sub"'],
    ['whose subject is not text', { sub: 7 }, '"sub"'],
    ['whose subject is empty', { sub: '' }, '"sub"'],
  ])('%s', async (_name, claims, says) => {
    const problem = await problemOf(idp.token(claims));
    expect(problem).toMatchObject({ status: 401, title: 'Not authorized' });
    expect(problem.detail).toContain(says);
  });

  test('without a signature (alg none)', async () => {
    const [, payload] = (await idp.token()).split('.');
    for (const alg of ['none', 'None', 'NONE']) {
      expect(await problemOf(`${base64url({ alg })}.${payload}.`)).toMatchObject({ status: 401 });
    }
  });

  test('signed with HS256 and the issuer’s public key', async () => {
    const key = (await importJWK(idp.published(), 'RS256', { extractable: true })) as CryptoKey;
    const shared = new TextEncoder().encode(await exportSPKI(key));
    expect(await problemOf(idp.token({}, { alg: 'HS256', key: shared }))).toMatchObject({ status: 401 });
  });

  test('signed with an algorithm that is not allowed, although the issuer has such a key', async () => {
    await using other = await startOidcIssuer('ML-DSA-44');
    verify = createOidc(optionsOf(other));
    expect(await problemOf(other.token())).toMatchObject({ status: 401 });
    expect(other.keyReads()).toBe(0);
  });

  test('that another party signed under the issuer’s key id', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    expect(await problemOf(idp.token({}, { key: privateKey }))).toMatchObject({ status: 401 });
  });

  test('with a changed payload', async () => {
    const [header, , signature] = (await idp.token()).split('.');
    const [, forged] = (await idp.token({ tenant: 'globex' })).split('.');
    expect(await problemOf(`${header}.${forged}.${signature}`)).toMatchObject({ status: 401 });
  });

  test('that is malformed', async () => {
    for (const token of ['a.b.c', `${base64url({ alg: 'RS256' })}.e30.`, '..']) {
      expect(await problemOf(token)).toMatchObject({ status: 401 });
    }
  });

  test('signed with a key that the issuer does not publish', async () => {
    expect(await problemOf(idp.token({}, { kid: 'unheard-of' }))).toMatchObject({ status: 401 });
  });
});

describe('403 for a valid token', () => {
  test.each([
    ['that names no tenant', undefined],
    ['whose tenant is empty', ''],
    ['whose tenant would reach another partition', 'acme#s1'],
    ['whose tenant is reserved', '_ticket'],
    ['whose tenant is a list', ['acme']],
    ['whose tenant is too long', 'x'.repeat(65)],
  ])('%s', async (_name, tenant) => {
    const problem = await problemOf(idp.token({ tenant }));
    expect(problem).toMatchObject({ status: 403, title: 'No tenant' });
    expect(problem.detail).toContain('"tenant"');
  });

  test("whose tenant is the name of an object's built-in property", async () => {
    const odd = createOidc({ ...optionsOf(idp), tenantClaim: 'constructor' });
    await expect(odd(await idp.token())).rejects.toMatchObject({ problem: { status: 403 } });
  });
});

describe('the issuer’s keys', () => {
  test('are read once for many tokens', async () => {
    await Promise.all([1, 2, 3].map(async () => verify(await idp.token())));
    await verify(await idp.token());
    expect(idp.keyReads()).toBe(1);
  });

  test('are read again when a token names a new one, but not more often than every 30 s', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await verify(await idp.token());
    await idp.rotate();
    expect(await problemOf(idp.token())).toMatchObject({ status: 401 });
    expect(idp.keyReads()).toBe(1);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await verify(await idp.token())).toMatchObject({ tenant: 'acme' });
    expect(idp.keyReads()).toBe(2);
  });

  test('are forgotten 10 minutes after the issuer withdrew them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const old = await idp.token();
    await verify(old);
    await idp.rotate({ keepOld: false });
    vi.setSystemTime(Date.now() + 601_000);
    expect(await problemOf(old)).toMatchObject({ status: 401 });
  });
});

describe('503 with Retry-After', () => {
  test('while the issuer does not answer, and no longer', async () => {
    idp.down = true;
    const lines = await writtenBy(async () => {
      const error = await verify(await idp.token()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ problem: { status: 503 }, headers: { 'retry-after': '5' } });
    });
    expect(lines).toMatchObject([{ level: 'ERROR', message: 'the OIDC issuer could not be reached' }]);
    idp.down = false;
    expect(await verify(await idp.token())).toMatchObject({ tenant: 'acme' });
  });

  test('if its configuration is of another issuer', async () => {
    idp.configuration = { ...idp.configuration, issuer: 'https://evil.example' };
    const lines = await writtenBy(async () =>
      expect(await problemOf(idp.token())).toMatchObject({ status: 503 }),
    );
    expect(idp.keyReads()).toBe(0);
    expect(lines).toHaveLength(1);
  });
});

test('no algorithm with a shared key is accepted', () => {
  expect(ALGORITHMS.filter((alg) => /^(HS|none)/i.test(alg))).toEqual([]);
});
