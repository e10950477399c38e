/** Puts the secrets that somebody else issues into the stack, and reads those that it made up. */

import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type Deployed, outputOf, secretOf } from './deployed.ts';
import type { RunningStack } from './stack/stack.ts';

export interface Keys {
  /** Bearer token of the HTTP API. */
  readonly apiToken: string;
  /** What GitHub signs its webhooks with; absent when the definition takes none. */
  readonly webhookSecret?: string;
}

/** @param given values by the names that definitions give to secrets; those that this one does not declare are left out */
export async function exchangeSecrets(
  deployed: Deployed,
  stack: RunningStack,
  given: Readonly<Record<string, string | undefined>>,
): Promise<Keys> {
  const client = new SecretsManagerClient({ endpoint: stack.endpoints.secretsManager, ...localAws });
  const put = (SecretId: string, SecretString: string) =>
    client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  const get = async (SecretId: string) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error(`the secret ${SecretId} is empty`);
    return SecretString;
  };
  const declared = (name: string) => Object.hasOwn(deployed.secrets, name);
  const secret = (name: string) => secretOf(deployed, stack, name);
  try {
    for (const [name, value] of Object.entries(given))
      if (value !== undefined && declared(name)) await put(secret(name), value);
    return {
      apiToken: await get(outputOf(deployed, stack, 'ApiTokenSecretArn')),
      ...(declared(WEBHOOK_SECRET) && { webhookSecret: await get(secret(WEBHOOK_SECRET)) }),
    };
  } finally {
    client.destroy();
  }
}

/** What the emulated GitHub signs with, by the name that a definition gives it. */
const WEBHOOK_SECRET = 'GITHUB_WEBHOOK_SECRET';

/** For SDK clients of the embedded services, which check neither. */
export const localAws = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
