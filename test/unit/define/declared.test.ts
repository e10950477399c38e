import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { envRecord } from '../../../functions/middleware/environment.ts';
import { declaredForTools, declaredModels } from '../../../functions/ports/declared.ts';
import { modelRequest } from '../../support/model-call.ts';
import { message, text } from '../../support/model-events.ts';
import { apiError, modelServer, reply } from '../../support/model-server.ts';

/** With this project's own definition: one setting with a default, and only Anthropic's server. */
beforeEach(() => {
  vi.stubEnv('SETTINGS', '{}');
  vi.stubEnv('MODEL_URLS', '{}');
  vi.stubEnv('SECRETS', '{"ANTHROPIC_API_KEY":"arn:key","GITHUB_TOKEN":"arn:token"}');
});
afterEach(() => void vi.unstubAllEnvs());

describe('values that tools may request', () => {
  test('are the defaults of settings, and the secrets that the function is granted', () => {
    expect(declaredForTools()).toEqual({
      settings: { GITHUB_API_URL: 'https://api.github.com' },
      secretIds: { ANTHROPIC_API_KEY: 'arn:key', GITHUB_TOKEN: 'arn:token' },
    });
  });

  test('are the values of the deploy, which override the defaults', () => {
    vi.stubEnv('SETTINGS', '{"GITHUB_API_URL":"https://git.example.com/api/v3"}');
    expect(declaredForTools().settings).toEqual({ GITHUB_API_URL: 'https://git.example.com/api/v3' });
  });

  test.each(['{', '[]', '{"A":1}'])('are not guessed from %s, which is not shown', (json) => {
    vi.stubEnv('SETTINGS', json);
    expect(declaredForTools).toThrow(
      /^environment of this function: SETTINGS must be a JSON object of texts$/,
    );
  });
});

describe('model servers', () => {
  const secrets = (keys: readonly string[]) => {
    let at = 0;
    const next = async () => keys[Math.min(at++, keys.length - 1)] ?? '';
    return { get: next, refresh: next };
  };
  const ask = (keys: readonly string[]) =>
    declaredModels(secrets(keys)).complete(modelRequest(), () => {}, AbortSignal.timeout(10_000));

  test('are at the URL that the deploy sets, and get their key in both headers there', async () => {
    await using server = await modelServer(reply(message([text('Nine.')])));
    vi.stubEnv('MODEL_URLS', JSON.stringify({ primary: server.url }));
    expect(await ask(['k1'])).toMatchObject({ kind: 'reply' });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer k1', 'x-api-key': 'k1' });
  });

  test('that refuse a key are called again with its replacement', async () => {
    await using server = await modelServer(
      apiError(401, 'authentication_error'),
      reply(message([text('Nine.')])),
    );
    vi.stubEnv('MODEL_URLS', JSON.stringify({ primary: server.url }));
    expect(await ask(['old', 'new'])).toMatchObject({ kind: 'reply' });
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['old', 'new']);
  });

  test('may have any name, also one that every object has', async () => {
    vi.stubEnv('MODEL_URLS', '{}');
    expect(envRecord('MODEL_URLS').constructor).toBeUndefined();
  });

  test('whose secret is not granted are reported at the cold start', () => {
    vi.stubEnv('SECRETS', '{}');
    expect(() => declaredModels(secrets(['k']))).toThrow('SECRETS has no ANTHROPIC_API_KEY');
  });
});
