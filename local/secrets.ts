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
  /** What the webhooks are signed with. */
  readonly webhookSecret: string;
}

export async function exchangeSecrets(
  deployed: Deployed,
  stack: RunningStack,
  given: { modelKey: string; secondModelKey?: string | undefined; githubToken: string },
): Promise<Keys> {
  const client = new SecretsManagerClient({ endpoint: stack.endpoints.secretsManager, ...localAws });
  const put = (SecretId: string, SecretString: string) =>
    client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  const get = async (SecretId: string) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error(`the secret ${SecretId} is empty`);
    return SecretString;
  };
  const secret = (name: string) => secretOf(deployed, stack, name);
  try {
    await put(secret('MODEL_KEY'), given.modelKey);
    if (given.secondModelKey) await put(secret('SECOND_MODEL_KEY'), given.secondModelKey);
    await put(secret('GITHUB_TOKEN'), given.githubToken);
    return {
      apiToken: await get(outputOf(deployed, stack, 'ApiTokenSecretArn')),
      webhookSecret: await get(secret('GITHUB_WEBHOOK_SECRET')),
    };
  } finally {
    client.destroy();
  }
}

/** For SDK clients of the embedded services, which check neither. */
export const localAws = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
