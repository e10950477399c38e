/** The dollar limits recognize a model, whatever name its server uses (A10). */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { namesOf } from '../../../shared/models/names.ts';
import { priceOf } from '../../../shared/models/prices.ts';

const quiet = () => vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
afterEach(() => {
  vi.restoreAllMocks();
});

describe('A10: the price of a model', () => {
  test.each([
    ['gpt-5-mini-2026-03-01', 'gpt-5-mini'],
    ['gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['openai/gpt-5-mini', 'gpt-5-mini'],
    ['openrouter/openai/gpt-5-mini-2026-03-01', 'gpt-5-mini'],
    ['o3-2030-01-01', 'o3'],
    ['anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['claude-opus-4-1@20250805', 'claude-opus-4-1'],
    ['gemini-2.5-pro-preview-99', 'gemini-2.5-pro'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['openai.gpt-oss-120b', 'gpt-oss-120b'],
  ])('of %s is that of %s', async (model, same) => {
    const price = await priceOf(same);
    expect(price?.input).toBeGreaterThan(0);
    expect(await priceOf(model)).toEqual(price);
  });

  test.each([
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'global.anthropic.claude-haiku-4-5-20251001-v1:0',
    'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.amazon.nova-pro-v1:0',
    'anthropic.claude-sonnet-5-5',
    'meta.llama3-1-70b-instruct-v1:0',
  ])('is known under its id at Amazon Bedrock: %s', async (model) => {
    const price = await priceOf(model);
    expect(price?.input).toBeGreaterThan(0);
    expect(price?.output).toBeGreaterThanOrEqual(price?.input ?? 0);
  });

  test('a longer listed name beats a shorter one', async () => {
    const [mini, plain] = [await priceOf('gpt-5-mini'), await priceOf('gpt-5')];
    expect(mini).not.toEqual(plain);
    expect(await priceOf('gpt-5-2026-03-01')).toEqual(plain);
  });

  test.each([
    'gpt-51',
    'my-model',
    'qwen2.5:7b',
    'gpt',
    'claude',
    '',
    '/',
    'arn:aws:bedrock:x:1:application-inference-profile/abc',
  ])('is not guessed for %j', async (model) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(await priceOf(model)).toBeUndefined();
  });

  test('that the definition says is not reported as unknown when only the window is looked up', async () => {
    const written = quiet();
    expect(await priceOf('some-model-with-its-own-price', true)).toBeUndefined();
    expect(written).not.toHaveBeenCalled();
  });

  test('that is unknown is logged, once for a model', async () => {
    const written = quiet();
    for (const model of ['unheard-of', 'unheard-of', 'gpt-5-mini']) await priceOf(model);
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toMatchObject([{ level: 'WARN', model: 'unheard-of' }]);
  });
});

test('a name is shortened part by part, never in the middle of one', () => {
  expect(namesOf('us.vendor-1.2').map(({ name }) => name)).toEqual([
    'us.vendor-1.2',
    'vendor-1.2',
    'vendor-1',
    'vendor',
  ]);
});

describe('the window of a model', () => {
  test.each([
    ['claude-sonnet-5-5', 1_000_000],
    ['anthropic.claude-sonnet-5-5', 1_000_000],
    ['claude-sonnet-4-5-20250929', 200_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
    ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0', 200_000],
    ['gpt-4o', 128_000],
    ['o3', 200_000],
    ['gpt-oss-120b', 131_072],
    ['eu.amazon.nova-pro-v1:0', 300_000],
    ['grok-4', 256_000],
    ['deepseek-v4-pro', 1_000_000],
    ['gemini-2.5-flash', 1_048_576],
  ])('of %s is what the table says: %i', async (model, window) => {
    expect((await priceOf(model))?.window).toBe(window);
  });

  test.each([
    ['gemini-2.5-pro', 1_048_576],
    ['google/gemini-3-pro-preview', 1_048_576],
    ['deepseek-chat', 131_072],
    ['deepseek-reasoner', 131_072],
  ])('of %s is the documented one of its server: %i', async (model, window) => {
    expect((await priceOf(model))?.window).toBe(window);
  });

  test.each([
    ['gpt-5', 272_000],
    ['gpt-5-mini-2025-08-07', 272_000],
    ['openai/gpt-5.2', 272_000],
    ['gpt-5.4', 922_000],
  ])('of %s is the input limit: %i', async (model, window) => {
    expect((await priceOf(model))?.window).toBe(window);
  });

  test('is not guessed', async () => {
    quiet();
    expect((await priceOf('mistral-large-latest'))?.window).toBeUndefined();
    expect(await priceOf('llama3.2')).toBeUndefined();
  });
});
