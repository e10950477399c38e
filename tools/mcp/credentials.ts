import type { AuthProvider } from '@modelcontextprotocol/client';
import type { ListContext } from '../../shared/agent/define/index.ts';
import { inHeader } from './in-header.ts';
import { oauthProvider } from './oauth.ts';
import { type McpAuth, secretOf } from './options.ts';
import type { Wire } from './wire.ts';

/** A tenant's secret: at most five minutes old, and never another tenant's. Undefined if the server needs no credential. */
export async function secretFor(
  auth: McpAuth | undefined,
  { tenant, secret }: Pick<ListContext, 'tenant' | 'secret'>,
): Promise<string | undefined> {
  if (!auth) return undefined;
  const value = await secret(secretOf(auth));
  if (!auth.perTenant) return value;
  const byTenant = parsed(value);
  if (!byTenant)
    throw new Error(`the secret ${secretOf(auth)} must be a JSON object with an entry for each tenant`);
  const own = Object.hasOwn(byTenant, tenant) ? byTenant[tenant] : undefined;
  if (own === undefined) throw new Error(`the secret ${secretOf(auth)} has no entry for this tenant`);
  return typeof own === 'string' ? own : JSON.stringify(own);
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
  const client = parsed(secret);
  if (!client) throw new Error(`the secret ${auth.oauth} must be a JSON object with "clientId"`);
  return { authProvider: oauthProvider(auth, { value: secret, client }, to) };
}

/** The object in a JSON text, if it is one. An error in a secret is not described: the message would quote it. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
