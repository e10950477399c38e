/** Sets the secrets that a definition declares, and reads those that the stack has generated. */

import { randomBytes } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type Deployed, outputOf, secretOf } from './deployed.ts';
import type { RunningStack } from './stack/stack.ts';

type Reached = Pick<RunningStack, 'endpoints' | 'ref' | 'outputs'>;

/**
 * Sets every declared secret to the given value, or else to a random one, so that no value of an earlier start remains.
 *
 * @param values by name
 */
export async function putSecrets(
  deployed: Deployed,
  stack: Reached,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  await withSecrets(stack, async (client) => {
    for (const name of Object.keys(deployed.secrets)) {
      const SecretString = values[name] ?? randomBytes(20).toString('hex');
      await client.send(
        new PutSecretValueCommand({ SecretId: secretOf(deployed, stack, name), SecretString }),
      );
    }
  });
}

/** Bearer token of the HTTP API. */
export const apiTokenOf = (deployed: Deployed, stack: Reached): Promise<string> =>
  withSecrets(stack, async (client) => {
    const SecretId = outputOf(deployed, stack, 'ApiTokenSecretArn');
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error(`the secret ${SecretId} is empty`);
    return SecretString;
  });

/** Runs with a temporary client of the embedded Secrets Manager. */
export async function withSecrets<T>(
  { endpoints }: Pick<Reached, 'endpoints'>,
  use: (client: SecretsManagerClient) => Promise<T>,
): Promise<T> {
  const client = new SecretsManagerClient({ endpoint: endpoints.secretsManager, ...localAws });
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}

/** For SDK clients of the embedded services, which check neither. */
export const localAws = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
