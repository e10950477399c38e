import type { Secrets } from '../../shared/edge/secrets.ts';

/** Reads a sender's secrets by the name that its source gives. Rejects if there are none: a source must not be open. */
export type SecretsOf = (name: string) => Promise<string[]>;

/** @param ids secret ids that this function may read, by name */
export function webhookSecrets(
  secrets: Pick<Secrets, 'get'>,
  ids: Readonly<Record<string, string>>,
): SecretsOf {
  return async (name) => {
    const id = Object.hasOwn(ids, name) ? ids[name] : undefined;
    const found = id ? (await secrets.get(id)).split(/\s+/).filter(Boolean) : [];
    if (found.length === 0) throw new Error(`the webhook secret ${name} is not set`);
    return found;
  };
}
