import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../agent/ports/ports.ts';
import { SECRET_LIFETIME_MS, type Secrets } from '../edge/secrets.ts';

interface Entry {
  readonly value: Promise<string>;
  readonly at: number;
}

/** Secrets Manager with a cache. The first use loads its SDK client. */
export function createSecrets(
  client: () => Promise<SecretsManagerClient>,
  clock: Pick<Clock, 'now'>,
): Secrets {
  const cache = new Map<string, Entry>();

  function refresh(id: string): Promise<string> {
    const value = fetchSecret(client, id);
    const entry = { value, at: clock.now() };
    cache.set(id, entry);
    // Failures are not cached.
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
  const { GetSecretValueCommand } = await import('./secrets-manager.ts');
  const secretsManager = await client();
  const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId: id }));
  if (!SecretString) throw new Error(`secret ${id} has no text value`);
  return SecretString;
}
