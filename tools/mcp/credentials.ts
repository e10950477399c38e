import type { AuthProvider } from '@modelcontextprotocol/client';
import type { ListContext } from '../../shared/agent/define/index.ts';
import { inHeader } from '../plain/in-header.ts';
import { objectIn, tenantSecret } from '../plain/tenant-secret.ts';
import { oauthProvider } from './oauth.ts';
import { type McpAuth, secretOf } from './options.ts';
import type { Wire } from './wire.ts';

/** A tenant's secret: at most five minutes old, and never another tenant's. Undefined if the server needs no credential. */
export async function secretFor(
  auth: McpAuth | undefined,
  context: Pick<ListContext, 'tenant' | 'secret'>,
): Promise<string | undefined> {
  return auth && tenantSecret(secretOf(auth), auth.perTenant, context);
}

/** How requests to the server identify the caller. The secret goes into its header, and nowhere else. */
export function identityOf(
  auth: McpAuth | undefined,
  secret: string | undefined,
  to: { readonly wire: Wire; readonly resource: URL },
): { readonly authProvider?: AuthProvider; readonly requestInit?: RequestInit } {
  if (!auth || secret === undefined) return {};
  if (!('oauth' in auth)) {
    const value = inHeader(secret, `the secret ${secretOf(auth)}`);
    return 'bearer' in auth
      ? { authProvider: { token: async () => value } }
      : { requestInit: { headers: { [auth.header]: value } } };
  }
  const client = objectIn(secret);
  if (!client) throw new Error(`the secret ${auth.oauth} must be a JSON object with "clientId"`);
  return { authProvider: oauthProvider(auth, { value: secret, client }, to) };
}
