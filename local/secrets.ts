/** Puts the secrets that somebody else issues into the stack, and reads those that it made up. */

import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Outputs } from './outputs.ts';

export interface Keys {
  /** Bearer token of the HTTP API. */
  readonly apiToken: string;
  /** What the webhooks are signed with. */
  readonly webhookSecret: string;
}

export async function exchangeSecrets(
  endpoint: string,
  outputs: Outputs,
  given: { modelKey: string; secondModelKey?: string | undefined; githubToken: string },
): Promise<Keys> {
  const client = new SecretsManagerClient({ endpoint, ...localAws });
  const put = (SecretId: string, SecretString: string) =>
    client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  const get = async (SecretId: string) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error(`the secret ${SecretId} is empty`);
    return SecretString;
  };
  try {
    await put(outputs.ModelKeySecretArn, given.modelKey);
    if (given.secondModelKey) await put(outputs.SecondModelKeySecretArn, given.secondModelKey);
    await put(outputs.GithubTokenSecretArn, given.githubToken);
    return {
      apiToken: await get(outputs.ApiTokenSecretArn),
      webhookSecret: await get(outputs.GithubWebhookSecretArn),
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
