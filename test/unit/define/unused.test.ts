import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deliverPorts } from '../../../functions/ports/deliver.ts';
import { hookPorts } from '../../../functions/ports/hooks.ts';
import { httpPorts } from '../../../functions/ports/http.ts';

vi.mock('../../../steploop.config.ts', async () => {
  const { defineAgent, defineDeployment } = await import('../../../shared/agent/define/index.ts');
  const agent = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' });
  return { default: defineDeployment({ agents: [agent] }) };
});

/** The environment of each function with a definition without callbacks and Slack. */
beforeAll(() => {
  for (const name of [
    'TABLE_NAME',
    'STEP_QUEUE_URL',
    'DELIVERY_QUEUE_URL',
    'BLOB_BUCKET',
    'API_TOKEN_SECRET_ID',
  ])
    vi.stubEnv(name, 'x');
  for (const name of ['MESSAGES_PER_MINUTE', 'REQUESTS_PER_SECOND', 'SESSIONS_AT_ONCE'])
    vi.stubEnv(name, '1');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
});
afterAll(() => void vi.unstubAllEnvs());

const refused = {
  refused: 'is refused: this deployment makes no callbacks; set "callbacks: true" in its definition',
};

test('a definition without callbacks refuses them, and says so', async () => {
  const { callbacks } = httpPorts().context;
  expect(callbacks.check('https://example.com')).toEqual(refused);
  expect(await callbacks.secretsOf('acme')).toEqual([]);
  expect(hookPorts().callbacks.check('https://example.com')).toEqual(refused);
});

test('a definition without callbacks and Slack notifies no outside system', () => {
  expect(deliverPorts().channels).toEqual({});
});
