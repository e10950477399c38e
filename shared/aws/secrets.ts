import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../agent/ports.ts';

/** How long a value is used without asking again: a rotated secret is seen within this time. */
export const SECRET_LIFETIME_MS = 5 * 60_000;

/** Secrets by their Secrets Manager id or ARN. */
export interface Secrets {
  /** The value, at most {@link SECRET_LIFETIME_MS} old. Rejects when it cannot be had. */
  get(id: string): Promise<string>;
  /** The value as it is now: for whoever was just refused with the one from `get` (rotation). */
  refresh(id: string): Promise<string>;
}

interface Entry {
  readonly value: Promise<string>;
  readonly at: number;
}

/** Secrets Manager with a cache. Its SDK client is loaded by the first use. */
export function createSecrets(
  client: () => Promise<SecretsManagerClient>,
  clock: Pick<Clock, 'now'>,
): Secrets {
  const cache = new Map<string, Entry>();

  function refresh(id: string): Promise<string> {
    const value = fetchSecret(client, id);
    const entry = { value, at: clock.now() };
    cache.set(id, entry);
    // A failure is not remembered.
    value.catch(() => cache.get(id) === entry && cache.delete(id));
    return value;
  }

  return {
    get(id) {
      const entry = cache.get(id);
      return entry && clock.now() - entry.at < SECRET_LIFETIME_MS ? entry.value : refresh(id);
    },
    refresh,
  };
}

async function fetchSecret(client: () => Promise<SecretsManagerClient>, id: string): Promise<string> {
  const { GetSecretValueCommand } = await import('./lazy/secrets-manager.ts');
  const secretsManager = await client();
  const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId: id }));
  if (!SecretString) throw new Error(`secret ${id} has no text value`);
  return SecretString;
}
