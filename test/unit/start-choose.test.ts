import { expect, onTestFinished, test } from 'vitest';
import { chooseModel } from '../../local/model/choose.ts';

async function choose(env: Record<string, string>) {
  const model = await chooseModel(env);
  onTestFinished(() => model.stop());
  return model;
}

test('without a key a few rules are the model', async () => {
  const model = await choose({});
  expect(model.urls).toEqual({ primary: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) });
});

test('key and address are those of the environment', async () => {
  const model = await choose({ ANTHROPIC_API_KEY: 'first', ANTHROPIC_BASE_URL: 'http://one' });
  expect(model).toMatchObject({ key: 'first', urls: { primary: 'http://one' } });
});

test('a key alone is for the server that the definition declares', async () => {
  expect(await choose({ ANTHROPIC_API_KEY: 'first' })).toMatchObject({ key: 'first', urls: {} });
});
