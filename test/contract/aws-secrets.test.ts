import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { startSecretsManager } from '../../local/stack/services/secrets-manager.ts';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { createSecrets } from '../../shared/aws/secrets.ts';
import { createSlackTokens } from '../../shared/aws/slack-tokens.ts';
import { virtualClock } from '../../testing/clock.ts';
import { secretsContract, slackTokensContract } from './secrets.ts';

async function open(clock: Pick<Clock, 'now'>) {
  const given = process.env.SECRETS_ENDPOINT;
  const service = given
    ? { endpoint: given, stop: async () => undefined }
    : await startSecretsManager(undefined);
  const client = new SecretsManagerClient({
    region: 'us-east-1',
    endpoint: service.endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const stop = async () => {
    client.destroy();
    await service.stop();
  };
  return { client, secrets: createSecrets(async () => client, clock), stop };
}

async function openTokens() {
  const { client, secrets, stop } = await open(virtualClock());
  const tokens = createSlackTokens({ prefix: 'steploop/slack/', secrets, client: async () => client });
  return { tokens, stop };
}

slackTokensContract('aws', openTokens);
secretsContract('aws', async (clock) => {
  const { client, secrets, stop } = await open(clock);
  const made = new Set<string>();
  return {
    secrets,
    stop,
    async set(id, value) {
      const isNew = !made.has(id);
      made.add(id);
      if (isNew) await client.send(new CreateSecretCommand({ Name: id, SecretString: value }));
      else await client.send(new PutSecretValueCommand({ SecretId: id, SecretString: value }));
    },
  };
});

test('aws: a token is named after its workspace, under the prefix that its writer is allowed to use', async () => {
  const { tokens, stop } = await openTokens();
  expect(await tokens.put('T1', { token: 'xoxb-1' })).toBe('steploop/slack/T1');
  await stop();
});
