/** Installs the Slack app of a local deployment into a workspace: the steps that docs/slack.md describes for a person. */

import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { Output } from '../../shared/contract/outputs.ts';
import { outputOf } from '../deployed.ts';
import { withSecrets } from '../secrets.ts';
import type { Site } from '../site.ts';

/** Secrets that the app and Slack share. */
export interface AppSecrets {
  readonly signingSecret: string;
  readonly clientSecret: string;
}

/**
 * Stores the app's secrets in the stack, and installs it at each start: an emulated workspace forgets everything when it ends,
 * and the token of a real one may have changed.
 *
 * @param consent a person's part of the installation, from the install link to its end
 */
export async function installSlack(
  { deployed, stack, addresses, apiToken }: Site,
  { signingSecret, clientSecret }: AppSecrets,
  consent: (installUrl: string) => Promise<{ status: number; text: string }>,
): Promise<void> {
  await withSecrets(stack, async (client) => {
    const put = (output: Output, SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId: outputOf(deployed, stack, output), SecretString }));
    await put('SlackSigningSecretArn', signingSecret);
    await put('SlackClientSecretArn', clientSecret);
  });
  const response = await fetch(`${addresses.HttpUrl}/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiToken}` },
  });
  const { ticket } = (await response.json()) as { ticket?: string };
  const { status, text } = await consent(`${addresses.HttpUrl}/slack/install?ticket=${ticket}`);
  if (status !== 200) throw new Error(`The Slack app could not be installed: ${status} ${text}`);
}
