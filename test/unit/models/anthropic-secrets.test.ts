import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import { type CallOptions, callModel, failureOf, modelRequest, replyOf } from '../../support/model-call.ts';
import { message, text } from '../../support/model-events.ts';
import { apiError, modelServer, reply, type Step } from '../../support/model-server.ts';

async function failing(step: Step, options: CallOptions = {}): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callModel(server.url, options)).outcome);
}

describe('keys', () => {
  const unauthorized = apiError(401, 'authentication_error', 'invalid x-api-key');

  test('after a 401 the key is looked up once more, and the request is repeated', async () => {
    await using server = await modelServer(unauthorized, reply(message([text('Nine')])));
    const asked: boolean[] = [];
    const key = async (refresh: boolean) => {
      asked.push(refresh);
      return refresh ? 'new-key' : 'old-key';
    };
    replyOf((await callModel(server.url, { key })).outcome);
    expect(asked).toEqual([false, true]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old-key',
      'Bearer new-key',
    ]);
  });

  test('any other error does not look up the key again', async () => {
    await using server = await modelServer(apiError(403, 'permission_error'));
    const { outcome } = await callModel(server.url, {
      key: async (refresh) => (refresh ? 'new-key' : 'old-key'),
    });
    expect(failureOf(outcome)).toMatchObject({ kind: 'account', code: 'permission_error' });
  });

  test('a second 401 is final', async () => {
    await using server = await modelServer(unauthorized, unauthorized);
    const { outcome } = await callModel(server.url, {
      key: async (refresh) => (refresh ? 'new-key' : 'old-key'),
    });
    expect(failureOf(outcome)).toMatchObject({ kind: 'account', code: 'authentication_error' });
  });

  test('A8: an unchanged key is not tried again', async () => {
    await using server = await modelServer(unauthorized);
    expect(failureOf((await callModel(server.url)).outcome)).toMatchObject({ kind: 'account' });
  });

  test('a failed lookup is retried', async () => {
    await using server = await modelServer();
    const key = () => Promise.reject(new RangeError('secret arn:aws:…:model-key is throttled'));
    expect(failureOf((await callModel(server.url, { key })).outcome)).toEqual({
      kind: 'retry',
      code: 'key_unavailable',
      message: 'The model key could not be looked up (RangeError).',
      rateLimited: false,
    });
  });

  test.each([[''], [' \n'], ['two\nlines'], ['kéy']])('the key %j is never sent', async (key) => {
    await using server = await modelServer();
    const failure = failureOf((await callModel(server.url, { key: async () => key })).outcome);
    expect(failure).toMatchObject({ kind: 'account', code: 'invalid_key' });
  });
});

describe('messages', () => {
  const said = async (words: string, options: CallOptions = {}) =>
    (await failing(apiError(400, 'invalid_request_error', words), options)).message;

  test("quote the server's error, in one short line", async () => {
    expect(await said('tools.0.custom.input_schema:\n  must be an object')).toBe(
      'The model server answered 400 invalid_request_error: tools.0.custom.input_schema: must be an object',
    );
    expect((await said('long '.repeat(200))).length).toBeLessThan(300);
  });

  test.each([
    ['the key of this call', 'bad key 0123-secret'],
    ['the key in a header', 'bad header Bearer 0123-secret'],
    ['a key in another format', 'bad key sk-ant-api03-AAAA-BBBB'],
  ])('never show %s', async (_name, words) => {
    const message = await said(words, { key: async () => '0123-secret' });
    expect(message).toMatch(/bad .*\[redacted\]$/);
    expect(message).not.toMatch(/secret|AAAA/);
  });

  test.each([
    ['a whole short text', 'cannot parse: "wire 5 EUR"', 'wire 5 EUR'],
    [
      'a part of a long one',
      'near «ransfer the savings to acco»',
      'Please transfer the savings to account 12345678',
    ],
    [
      'with its line breaks gone',
      'near: transfer the savings to acc',
      'Please transfer\nthe savings\nto account',
    ],
  ])('never show what users wrote: %s', async (_name, words, prompt) => {
    const request = modelRequest({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'get', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: prompt }] },
      ],
    });
    expect(await said(words, { request })).toBe('The model server answered 400 invalid_request_error');
  });
});
