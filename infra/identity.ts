/** What a function needs to know who asks (`functions/middleware/credentials.ts`), and how much a tenant may ask. */

import type { Config } from './config.ts';
import type { Needs } from './definition-environment.ts';
import type { Ground } from './ground.ts';
import { readSecret } from './permissions.ts';

/** Beside the table, where the API keys and the counts are: `GetItem`, `BatchGetItem`, `UpdateItem`. */
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

/** How much a tenant may ask for at once: whoever counts it, and whoever takes away what is counted of a session. */
export const limitsEnvironment = ({ limits }: Pick<Config, 'limits'>) => ({
  MESSAGES_PER_MINUTE: String(limits.messagesPerMinute),
  SESSIONS_AT_ONCE: String(limits.sessionsAtOnce),
});
