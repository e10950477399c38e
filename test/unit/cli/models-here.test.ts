/** The command asks models with the keys and the AWS credentials of this machine. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { modelsOf } from '../../../cli/doctor/models.ts';
import { openModels } from '../../../cli/eval/models.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import { describeDeployment } from '../../../shared/agent/define/facts.ts';
import { converse, says } from '../../support/converse-events.ts';
import { wire } from '../../support/gemini-events.ts';
import { modelRequest, replyOf } from '../../support/model-call.ts';
import { modelServer, reply } from '../../support/model-server.ts';

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'c2VjcmV0');
});
afterEach(() => vi.unstubAllEnvs());

const signature = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request,/;

function deploymentAt(baseUrl: string) {
  const model = { provider: 'bedrock-converse', server: 'bedrock', name: 'anthropic.claude-test-1' };
  const agent = defineAgent({ name: 'a', version: '1', model, system: 's', tools: [] });
  const deployment = defineDeployment({ agents: [agent], models: { bedrock: { baseUrl } } });
  return { deployment, facts: describeDeployment(deployment) };
}

test('steploop doctor signs a request to a server without a secret', async () => {
  await using server = await modelServer(reply(converse([says('Yes.')])));
  const { deployment, facts } = deploymentAt(server.url);
  expect(await modelsOf(deployment, facts, {})).toMatchObject([{ state: 'ok' }]);
  expect(server.requests[0]?.headers.authorization).toMatch(signature);
});

test('steploop doctor says what to check if there are no credentials', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
  const { deployment, facts } = deploymentAt('http://127.0.0.1:1');
  expect(await modelsOf(deployment, facts, {})).toMatchObject([
    { state: 'wrong', mend: expect.stringContaining('Check the AWS credentials of this machine') },
  ]);
});

test('steploop eval signs too', async () => {
  await using server = await modelServer(reply(converse([says('Yes.')])));
  const { deployment, facts } = deploymentAt(server.url);
  const { signal } = new AbortController();
  const models = await openModels(deployment, facts, { secrets: {}, scripted: false, signal });
  const request = modelRequest({ provider: 'bedrock-converse', server: 'bedrock' });
  const outcome = await models.answer({ request, signal, stream: () => {} });
  expect(replyOf(outcome).content).toMatchObject([{ text: 'Yes.' }]);
  expect(server.requests[0]?.headers.authorization).toMatch(signature);
  await models.stop();
});

test('rules in place of the model need no credentials', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
  const { deployment, facts } = deploymentAt('http://127.0.0.1:1');
  const { signal } = new AbortController();
  const models = await openModels(deployment, facts, { secrets: {}, scripted: true, signal });
  const request = modelRequest({ provider: 'bedrock-converse', server: 'bedrock' });
  const outcome = await models.answer({ request, signal, stream: () => {} });
  expect(replyOf(outcome).content).toMatchObject([{ type: 'text' }]);
  await models.stop();
});

test('steploop doctor asks Gemini with its key; a model that only thinks answers', async () => {
  const thinks = wire({
    candidates: [{ finishReason: 'MAX_TOKENS' }],
    usageMetadata: { thoughtsTokenCount: 16 },
  });
  await using server = await modelServer(reply([thinks]));
  const model = { provider: 'gemini', server: 'google', name: 'gemini-test-3' };
  const agent = defineAgent({ name: 'a', version: '1', model, system: 's', tools: [] });
  const google = { baseUrl: server.url, secret: 'GEMINI_API_KEY' };
  const secrets = { GEMINI_API_KEY: { description: 'The key.' } };
  const deployment = defineDeployment({ agents: [agent], models: { google }, secrets });
  const found = await modelsOf(deployment, describeDeployment(deployment), { GEMINI_API_KEY: 'AIza-here' });
  expect(found).toMatchObject([{ state: 'ok' }]);
  expect(server.requests[0]?.headers['x-goog-api-key']).toBe('AIza-here');
});
