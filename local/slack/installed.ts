/** The Slack app of a deployment on this machine, installed into the emulated workspace: what docs/slack.md has a person do. */

import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { Output } from '../../shared/contract/outputs.ts';
import { outputOf } from '../deployed.ts';
import { withSecrets } from '../secrets.ts';
import type { Site } from '../site.ts';
import type { EmulatedSlack } from './emulated.ts';

/**
 * Puts the app's secrets where the stack looks for them, and installs it, each start anew: the workspace forgets when it ends.
 *
 * @param user a person of the workspace
 */
export async function installSlack(
  { deployed, stack, addresses, apiToken }: Site,
  slack: EmulatedSlack,
  user: string,
): Promise<void> {
  await withSecrets(stack, async (client) => {
    const put = (output: Output, SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId: outputOf(deployed, stack, output), SecretString }));
    await put('SlackSigningSecretArn', slack.signingSecret);
    await put('SlackClientSecretArn', slack.clientSecret);
  });
  slack.connect(addresses.HttpUrl);
  const response = await fetch(`${addresses.HttpUrl}/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiToken}` },
  });
  const { ticket } = (await response.json()) as { ticket?: string };
  const { status, text } = await slack.consent(`${addresses.HttpUrl}/slack/install?ticket=${ticket}`, user);
  if (status !== 200) throw new Error(`The emulated Slack could not install the app: ${status} ${text}`);
}
