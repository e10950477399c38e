import type { ApiKeys } from '../../shared/edge/api-keys.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import type { Credentials } from './authorize.ts';
import { optionalEnv, readEnv } from './environment.ts';
import { createOidc, type OidcOptions } from './oidc.ts';

export interface CredentialStores {
  readonly keys: Pick<ApiKeys, 'verify'>;
  readonly secrets: Pick<Secrets, 'get'>;
}

/** The credentials that this function accepts, from its environment. */
export function openCredentials({ keys, secrets }: CredentialStores): Credentials {
  const { API_TOKEN_SECRET_ID } = readEnv('API_TOKEN_SECRET_ID');
  const oidc = oidcOptions();
  return {
    token: () => secrets.get(API_TOKEN_SECRET_ID),
    key: (text) => keys.verify(text),
    ...(oidc && { jwt: createOidc(oidc) }),
  };
}

/** Undefined if no issuer is configured. Throws at cold start if the rest of the configuration is missing. */
function oidcOptions(): OidcOptions | undefined {
  const issuer = optionalEnv('OIDC_ISSUER');
  if (!issuer) return undefined;
  const { OIDC_AUDIENCE, OIDC_TENANT_CLAIM, OIDC_ROLES_CLAIM } = readEnv(
    'OIDC_AUDIENCE',
    'OIDC_TENANT_CLAIM',
    'OIDC_ROLES_CLAIM',
  );
  const audiences = OIDC_AUDIENCE.split(',')
    .map((audience) => audience.trim())
    .filter(Boolean);
  if (audiences.length === 0) throw new Error('OIDC_ISSUER is set, and OIDC_AUDIENCE names no audience');
  return { issuer, audiences, tenantClaim: OIDC_TENANT_CLAIM, rolesClaim: OIDC_ROLES_CLAIM };
}
