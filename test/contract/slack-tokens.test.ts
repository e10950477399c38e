import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { startSecretsManager } from '../../local/stack/services/secrets-manager.ts';
import { createSecrets } from '../../shared/aws/secrets.ts';
import { createSlackTokens } from '../../shared/aws/slack-tokens.ts';

test('a token is a secret of its own: made, replaced, read and removed', async () => {
  const service = await startSecretsManager(undefined);
  const client = new SecretsManagerClient({
    region: 'us-east-1',
    endpoint: service.endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const secrets = createSecrets(async () => client, { now: () => 0 });
  const tokens = createSlackTokens({ prefix: 'steploop/slack/', secrets, client: async () => client });
  try {
    const id = await tokens.put('T1', 'xoxb-1');
    expect(id).toBe('steploop/slack/T1');
    expect(await tokens.get(id)).toBe('xoxb-1');
    expect(await tokens.put('T1', 'xoxb-2')).toBe(id);
    expect(await tokens.get(id)).toBe('xoxb-2');
    await tokens.put('T2', 'xoxb-3');
    await tokens.remove(id);
    await expect(tokens.get(id, true)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await tokens.remove(id);
    expect(await tokens.get('steploop/slack/T2', true)).toBe('xoxb-3');
    expect(await tokens.put('T1', 'xoxb-4')).toBe(id);
    expect(await tokens.get(id)).toBe('xoxb-4');
  } finally {
    client.destroy();
    await service.stop();
  }
});
