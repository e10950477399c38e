import { expect, test } from 'vitest';
import { askedServer } from '../../support/http-session.ts';
import { callOpenai, KEY, modelRequest } from '../../support/model-call.ts';
import { finish, usageChunk, wire } from '../../support/openai-events.ts';

const secret = 'correct-horse-battery-staple';
const request = modelRequest({
  provider: 'openai',
  model: 'gpt-test-1',
  messages: [{ role: 'user', content: [{ type: 'text', text: `My password is ${secret}.` }] }],
});

async function answering(model: unknown, reason = 'stop') {
  const chunk = (delta: object) => wire({ model, choices: [{ index: 0, delta }] });
  const usage = usageChunk({ prompt_tokens: 1, completion_tokens: 1 }).replace('gpt-test-1', String(model));
  await using server = await askedServer(() => [
    chunk({ content: 'Nine.' }),
    finish(reason).replace('"model":"gpt-test-1",', ''),
    usage,
  ]);
  const { outcome } = await callOpenai(server.url, { request });
  if (outcome.kind !== 'reply') throw new Error('no reply');
  return outcome.reply;
}

test.each([
  ['the key', KEY],
  ['a text that looks like a key', 'sk-ant-api03-0123456789'],
  ['user text', secret],
  ['a text', 'you asked for it'],
  ['anything long', 'm'.repeat(300)],
])('a model that is called by %s has the requested name', async (_name, model) => {
  expect((await answering(model)).model).toBe('gpt-test-1');
});

test.each([
  'gpt-test-1-2026-01-31',
  'openai/gpt-test-1',
  'arn:aws:bedrock:us-east-1:1:inference-profile/x',
  'other-model',
])('a model may be called %s', async (model) => {
  expect((await answering(model)).model).toBe(model);
});

test('a stop reason contains neither a key nor user text', async () => {
  expect((await answering('gpt-test-1', KEY)).stopDetail).toBe('[redacted]');
  expect((await answering('gpt-test-1', secret)).stopDetail).toBe('');
  expect((await answering('gpt-test-1', 'x'.repeat(500))).stopDetail).toHaveLength(200);
});

test.each([
  ['code', KEY],
  ['type', KEY],
  ['code', secret],
])('an error with a secret as its %s is reported by its status', async (field, value) => {
  await using server = await askedServer(() => ({
    status: 400,
    body: { error: { message: 'no', [field]: value } },
  }));
  const { outcome } = await callOpenai(server.url, { request });
  expect(outcome).toMatchObject({ failure: { kind: 'fatal', code: 'http_400' } });
  expect(JSON.stringify(outcome)).not.toContain(value);
});
