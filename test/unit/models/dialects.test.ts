import { expect, test } from 'vitest';
import { dialectNames } from '../../../shared/agent/config/model.ts';
import { dialectOf, dialects, rulesOf } from '../../../shared/models/dialects.ts';

const openai = { provider: 'openai', model: 'm' };
const at = (baseUrl: string, more: object = {}) => ({ ...openai, baseUrl, ...more });

test.each([
  ['https://api.anthropic.com', 'anthropic'],
  ['https://bedrock-runtime.eu-west-1.amazonaws.com', 'bedrock'],
  ['https://bedrock-mantle.us-east-1.api.aws/openai/v1', 'bedrock'],
  ['https://api.openai.com/v1', 'openai'],
  ['https://eu.api.openai.com/v1', 'openai'],
  ['https://me.openai.azure.com/openai/v1', 'azure'],
  ['https://me.cognitiveservices.azure.com/openai/v1', 'azure'],
  ['https://me.services.ai.azure.com/models', 'azure'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
  ['https://europe-west4-aiplatform.googleapis.com/v1/x', 'gemini'],
  ['https://aiplatform.googleapis.com/v1/x', 'gemini'],
  ['https://api.mistral.ai/v1', 'mistral'],
  ['https://api.moonshot.cn/v1', 'kimi'],
  ['https://api.kimi.com/coding/v1', 'kimi'],
  ['https://api.deepseek.com', 'deepseek'],
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['http://localhost:11434/v1', 'ollama'],
  ['http://localhost:8000/v1', 'compatible'],
  ['https://api.openai.com.example.com/v1', 'compatible'],
  ['no address', 'compatible'],
])('%s is %s', (url, dialect) => {
  expect(dialectOf(at(url))).toBe(dialect);
});

test('an Anthropic server at an unknown address is recognized as Anthropic', () => {
  expect(dialectOf({ provider: 'anthropic', baseUrl: 'http://localhost:1' })).toBe('anthropic');
});

test('every dialect has its rules', () => {
  expect(Object.keys(dialects)).toEqual([...dialectNames]);
});

test('the dialect that the agent names beats the address and the name of the model', () => {
  const proxy = at('https://api.openai.com/v1', { dialect: 'compatible', model: 'mistral-large' });
  expect(rulesOf(proxy)).toMatchObject({ outputLimit: 'max_tokens', callIds: 'any' });
});

test('behind a gateway the name of the model decides its rules', () => {
  const rules = (url: string, model: string) => rulesOf(at(url, { model }));
  expect(rules('https://openrouter.ai/api/v1', 'mistralai/devstral-small')).toMatchObject({
    callIds: 'nine',
    assistantAfterTool: true,
  });
  expect(rules('http://vllm.internal:8000/v1', 'moonshotai/Kimi-K2-Instruct').callIds).toBe('functions');
  expect(rules('https://api.openai.com/v1', 'mistral-large').callIds).toBe('any');
});

test('models before Gemini 3 get no placeholder signature', () => {
  const signed = (model: string) =>
    rulesOf(at('https://generativelanguage.googleapis.com/v1beta/openai', { model })).thoughtSignatures;
  expect(
    ['gemini-2.5-pro', 'models/gemini-2.0-flash', 'gemini-3-pro-preview', 'gemini-10'].map(signed),
  ).toEqual([false, false, true, true]);
});

test('a rule learned from a server beats the table', () => {
  expect(rulesOf(at('https://api.openai.com/v1', { learned: ['max_tokens'] })).outputLimit).toBe(
    'max_tokens',
  );
});

test('a rule that a later version has stored is ignored', () => {
  expect(rulesOf(at('http://x', { learned: ['of_tomorrow'] }))).toBe(rulesOf(at('http://x')));
});
