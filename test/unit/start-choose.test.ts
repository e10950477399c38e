import { expect, onTestFinished, test } from 'vitest';
import { chooseModel } from '../../local/model/choose.ts';

async function choose(env: Record<string, string>) {
  const model = await chooseModel(env);
  onTestFinished(() => model.stop());
  return model;
}

test('without keys a few rules are the model, and there is no second', async () => {
  const model = await choose({});
  expect(model.variables).toEqual({ MODEL_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) });
  expect(model).not.toHaveProperty('secondKey');
});

test('keys and addresses of both servers are those of the environment', async () => {
  const model = await choose({
    ANTHROPIC_API_KEY: 'first',
    ANTHROPIC_BASE_URL: 'http://one',
    OPENAI_API_KEY: 'second',
    OPENAI_BASE_URL: 'http://two/v1',
  });
  expect(model).toMatchObject({ key: 'first', secondKey: 'second' });
  expect(model.variables).toEqual({
    MODEL_BASE_URL: 'http://one',
    MODEL_AUTH: 'both',
    SECOND_MODEL_BASE_URL: 'http://two/v1',
  });
});

test('the second server’s key may be the only one', async () => {
  const model = await choose({ OPENAI_API_KEY: 'second' });
  expect(model).toMatchObject({ key: 'no-key-needed', secondKey: 'second' });
  expect(model.variables).not.toHaveProperty('SECOND_MODEL_BASE_URL');
});
