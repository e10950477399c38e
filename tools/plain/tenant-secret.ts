import type { ListContext } from '../../shared/agent/define/index.ts';

/** The value of a secret, or with `perTenant` its entry for the tenant. Never another tenant's, and at most five minutes old. */
export async function tenantSecret(
  name: string,
  perTenant: boolean | undefined,
  { tenant, secret }: Pick<ListContext, 'tenant' | 'secret'>,
): Promise<string> {
  const value = await secret(name);
  if (!perTenant) return value;
  const byTenant = objectIn(value);
  if (!byTenant) throw new Error(`the secret ${name} must be a JSON object with an entry for each tenant`);
  const own = Object.hasOwn(byTenant, tenant) ? byTenant[tenant] : undefined;
  if (own === undefined) throw new Error(`the secret ${name} has no entry for this tenant`);
  return typeof own === 'string' ? own : JSON.stringify(own);
}

/** The object in a JSON text, if it is one. An error in a secret is not described: the message would quote it. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
