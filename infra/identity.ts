/** The environment that a function needs to authenticate callers (`functions/middleware/credentials.ts`), and the limits of a tenant. */

import type { Config } from './config.ts';
import type { Needs } from './definition-environment.ts';
import type { Ground } from './ground.ts';
import { readSecret } from './permissions.ts';

/** Needs the table as well, with the API keys and the counters: `GetItem`, `BatchGetItem`, `UpdateItem`. */
export function identity({ config, secrets }: Ground): Needs {
  const { identity: jwts, limits } = config;
  return {
    environment: {
      API_TOKEN_SECRET_ID: secrets.apiToken.secretArn,
      ...(jwts && {
        OIDC_ISSUER: jwts.issuer,
        OIDC_AUDIENCE: jwts.audiences.join(','),
        OIDC_TENANT_CLAIM: jwts.tenantClaim,
        OIDC_ROLES_CLAIM: jwts.rolesClaim,
      }),
      ...limitsEnvironment({ limits }),
    },
    may: [readSecret(secrets.apiToken)],
  };
}

/** The limits of a tenant, for the functions that count usage, and for the one that removes a session's counts. */
export const limitsEnvironment = ({ limits }: Pick<Config, 'limits'>) => ({
  MESSAGES_PER_MINUTE: String(limits.messagesPerMinute),
  SESSIONS_AT_ONCE: String(limits.sessionsAtOnce),
});

/** The limit of a tenant's requests, for the functions that take them. */
export const paceEnvironment = ({ limits }: Pick<Config, 'limits'>) => ({
  REQUESTS_PER_SECOND: String(limits.requestsPerSecond),
});
