import { expect, onTestFinished, test } from 'vitest';
import { chooseModels, type Given, urlsIn } from '../../../local/model/choose.ts';
import type { DeploymentFacts } from '../../../shared/contract/facts.ts';
import { callGemini, replyOf } from '../../support/model-call.ts';

const facts: Pick<DeploymentFacts, 'models'> = {
  models: {
    primary: { baseUrl: 'https://api.anthropic.com', auth: 'bearer', secret: 'ANTHROPIC_API_KEY' },
    other: { baseUrl: 'https://api.openai.com/v1', auth: 'bearer', secret: 'OPENAI_API_KEY' },
    home: { baseUrl: 'http://127.0.0.1:11434/v1', auth: 'bearer' },
  },
};

async function choose(given: Given) {
  const models = await chooseModels(facts, given);
  onTestFinished(() => models.stop());
  return models;
}

const local = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);

test('a server without a value for its key is replaced by a few rules, with a notice; one that needs no key is used', async () => {
  const { urls, what } = await choose({ secrets: { OPENAI_API_KEY: 'key' } });
  expect(urls).toEqual({ primary: local });
  expect(what).toEqual([
    'primary is scripted, by a few rules; ANTHROPIC_API_KEY has no value: set it to use the real model',
    'other at https://api.openai.com/v1',
    'home at http://127.0.0.1:11434/v1',
  ]);
});

test('with keys the servers are those of the definition, or at the URLs of the environment', async () => {
  const environment = { ANTHROPIC_BASE_URL: 'http://one', HOME_BASE_URL: 'http://none' };
  const urls = urlsIn(facts, environment);
  expect(urls).toEqual({ primary: 'http://one' });
  const models = await choose({ secrets: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }, urls });
  expect(models.urls).toEqual({ primary: 'http://one' });
});

test('a script replaces all servers, whatever keys there are', async () => {
  const { urls } = await choose({ secrets: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }, scripted: true });
  expect(urls).toEqual({ primary: local, other: local, home: local });
});

test('the rules speak Gemini’s API under the path of its version', async () => {
  const google = { auth: 'bearer', secret: 'GEMINI_API_KEY' } as const;
  const models = await chooseModels(
    { models: { google: { ...google, baseUrl: 'https://generativelanguage.googleapis.com/v1beta/' } } },
    { secrets: {} },
  );
  onTestFinished(() => models.stop());
  const { outcome } = await callGemini(models.urls.google ?? '');
  expect(replyOf(outcome).content).toMatchObject([{ type: 'text' }]);
});

test('the rules speak both protocols at one address', async () => {
  const { urls } = await choose({ secrets: {} });
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${urls.primary}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return response.status;
  };
  const messages = [{ role: 'user', content: 'hi' }];
  expect(await ask('/v1/messages', { model: 'm', max_tokens: 9, messages })).toBe(200);
  expect(await ask('/chat/completions', { model: 'm', messages })).toBe(200);
});
