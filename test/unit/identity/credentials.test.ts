import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CredentialStores, openCredentials } from '../../../functions/middleware/credentials.ts';
import { env } from '../../../shared/contract/env.ts';

const nothing = {} as CredentialStores;
const oidc = {
  [env.OIDC_ISSUER]: 'https://login.example',
  [env.OIDC_AUDIENCE]: 'steploop',
  [env.OIDC_TENANT_CLAIM]: 'tenant',
  [env.OIDC_ROLES_CLAIM]: 'roles',
};
const stub = (variables: Record<string, string>) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

describe('the credentials that a function accepts', () => {
  beforeEach(() => stub({ [env.API_TOKEN_SECRET_ID]: 'secret' }));
  afterEach(() => vi.unstubAllEnvs());

  test.each(['', undefined])('include no JWTs while the issuer is %j', (issuer) => {
    stub(oidc);
    vi.stubEnv(env.OIDC_ISSUER, issuer);
    expect(openCredentials(nothing)).not.toHaveProperty('jwt');
  });

  test('include JWTs if there is an issuer', () => {
    stub(oidc);
    expect(openCredentials(nothing)).toHaveProperty('jwt');
  });

  test.each(['', ' , '])(
    'are none if the issuer has the audience %j: that would accept any token of it',
    (audience) => {
      stub({ ...oidc, [env.OIDC_AUDIENCE]: audience });
      expect(() => openCredentials(nothing)).toThrow('OIDC_AUDIENCE');
    },
  );
});
