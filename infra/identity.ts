/** What a function needs to know who asks (`functions/middleware/credentials.ts`), and how much a tenant may ask. */

import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { env } from '../shared/contract/env.ts';
import type { Parameters } from './parameters.ts';
import { readSecret } from './permissions.ts';
import type { Secrets } from './secrets.ts';

/** Beside the table, where the API keys and the counts are: `GetItem`, `BatchGetItem`, `UpdateItem`. */
export function identity(
  secrets: Secrets,
  parameters: Parameters,
): { environment: Partial<Record<keyof typeof env, string>>; may: PolicyStatement[] } {
  return {
    environment: {
      API_TOKEN_SECRET_ID: secrets.apiToken.secretArn,
      OIDC_ISSUER: parameters.oidcIssuer.valueAsString,
      OIDC_AUDIENCE: parameters.oidcAudience.valueAsString,
      OIDC_TENANT_CLAIM: parameters.oidcTenantClaim.valueAsString,
      OIDC_ROLES_CLAIM: parameters.oidcRolesClaim.valueAsString,
      MESSAGES_PER_MINUTE: parameters.messagesPerMinute.valueAsString,
      SESSIONS_AT_ONCE: parameters.sessionsAtOnce.valueAsString,
    },
    may: [readSecret(secrets.apiToken)],
  };
}
