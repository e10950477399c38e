import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import { admissible } from '../../../shared/agent/step/model/admissible.ts';
import {
  callResponses,
  failureOf,
  KEY,
  modelRequest,
  type ResponsesCallOptions,
  replyOf,
} from '../../support/model-call.ts';
import {
  cut,
  deadUrl,
  garbage,
  modelServer,
  type Piece,
  reply,
  type Step,
  stall,
  status,
} from '../../support/model-server.ts';
import { begins, calls, response, responseOf, says } from '../../support/responses-events.ts';

async function failing(step: Step, options: ResponsesCallOptions = {}): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callResponses(server.url, options)).outcome);
}

const refused = (code: number, error: object, headers: Record<string, string> = {}) =>
  status(code, headers, { error });

describe('errors by status', () => {
  test.each<[number, object, string, string]>([
    [400, { type: 'invalid_request_error', code: null, message: 'no' }, 'fatal', 'invalid_request_error'],
    [401, { code: 'invalid_api_key' }, 'account', 'invalid_api_key'],
    [
      403,
      { code: 'unsupported_country_region_territory' },
      'account',
      'unsupported_country_region_territory',
    ],
    [404, { code: 'model_not_found' }, 'fatal', 'model_not_found'],
    [429, { code: 'rate_limit_exceeded' }, 'retry', 'rate_limit_exceeded'],
    [429, { code: 'insufficient_quota' }, 'account', 'insufficient_quota'],
    [500, { type: 'server_error' }, 'retry', 'server_error'],
    [400, { code: 'context_length_exceeded' }, 'too_long', 'context_limit'],
    [400, { message: 'Your input exceeds the context window of this model.' }, 'too_long', 'context_limit'],
    [400, { code: 'invalid_encrypted_content' }, 'thinking_mismatch', 'invalid_encrypted_content'],
    [
      404,
      { message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false." },
      'thinking_mismatch',
      'http_404',
    ],
    [
      400,
      { message: "Item 'rs_1' of type 'reasoning' was provided without its required following item." },
      'thinking_mismatch',
      'http_400',
    ],
    [
      400,
      {
        message:
          "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
      },
      'thinking_mismatch',
      'http_400',
    ],
  ])('%i %j is %s', async (code, error, kind, word) => {
    expect(await failing(refused(code, error))).toMatchObject({ kind, code: word });
  });

  test('the server’s own retry time is honoured', async () => {
    expect(await failing(refused(429, {}, { 'retry-after': '17' }))).toMatchObject({ retryAfterMs: 17_000 });
  });

  test('a refusal that names a tool or a part of the conversation says which', async () => {
    const schema = "Invalid schema for function 'find': In context=(), array schema missing.";
    expect(await failing(refused(400, { message: schema, param: 'tools[3].parameters' }))).toMatchObject({
      tool: { name: 'find' },
    });
    const orphan = 'No tool output found for function call call_7.';
    expect(await failing(refused(400, { message: orphan, param: 'input' }))).toMatchObject({
      malformed: { id: 'call_7' },
    });
    const broken = "Invalid 'input[3].content[0].image_url'.";
    expect(
      await failing(refused(400, { message: broken, param: 'input[3].content[0].image_url' })),
    ).toHaveProperty('malformed');
    expect(await failing(refused(400, { message: 'no', param: 'reasoning.effort' }))).not.toHaveProperty(
      'malformed',
    );
  });

  test('a server that does not listen', async () => {
    expect(failureOf((await callResponses(await deadUrl())).outcome)).toMatchObject({
      kind: 'retry',
      code: 'connection_error',
    });
  });

  test('after a 401 the key is looked up again, once', async () => {
    await using server = await modelServer(
      refused(401, { code: 'invalid_api_key' }),
      reply(response([says('msg_1', 'Nine.')])),
    );
    const key = async (refresh: boolean) => (refresh ? 'new-key' : 'old-key');
    replyOf((await callResponses(server.url, { key })).outcome);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old-key',
      'Bearer new-key',
    ]);
  });

  test('messages show neither keys nor user text', async () => {
    const words = `wrong key ${KEY} near "What time is it in Lisbon?"`;
    expect((await failing(refused(400, { code: 'bad', message: words }))).message).toBe(
      'The model server answered 400 bad',
    );
  });
});

describe('errors in a stream', () => {
  const opening = begins([says('msg_1', 'Half')]);

  test.each<[string, Piece[], object]>([
    [
      'goai#88: an error whose fields are nested',
      [{ type: 'error', error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'slow' } }],
      { kind: 'retry', code: 'rate_limit_exceeded', rateLimited: true },
    ],
    [
      'an error whose fields are those of the event',
      [{ type: 'error', code: 'server_error', message: 'oops', param: null }],
      { kind: 'retry', code: 'server_error' },
    ],
    [
      'pi#1458: a failed response',
      [
        {
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' } },
        },
      ],
      { kind: 'retry', rateLimited: true },
    ],
    [
      'pi#7983: a failed response without its reason, which comes next',
      [
        { type: 'response.failed', response: { status: 'failed', error: null } },
        { type: 'error', error: { type: 'too_many_requests', code: 'rate_limit_exceeded', message: 'slow' } },
      ],
      { kind: 'retry', rateLimited: true },
    ],
    [
      'a failed response without any reason',
      [{ type: 'response.failed', response: { status: 'failed', error: null } }],
      { kind: 'retry', code: 'stream_broken' },
    ],
    [
      'a filter',
      [{ type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'no' } } }],
      { kind: 'fatal', filtered: true },
    ],
    [
      'an image that is refused',
      [{ type: 'response.failed', response: { error: { code: 'invalid_base64_image', message: 'no' } } }],
      { kind: 'fatal', code: 'invalid_base64_image' },
    ],
    [
      'a request that is too long',
      [{ type: 'error', error: { code: 'context_length_exceeded', message: 'too long' } }],
      { kind: 'too_long' },
    ],
    [
      'reasoning that the server cannot read',
      [{ type: 'error', error: { code: 'invalid_encrypted_content', message: 'no' } }],
      { kind: 'thinking_mismatch' },
    ],
    ['an event that is not JSON', ['event: response.completed\ndata: {\n\n'], { code: 'malformed_reply' }],
  ])('%s', async (_name, pieces, expected) => {
    expect(await failing(reply([...opening, ...pieces]))).toMatchObject(expected);
  });

  test('the usage of a failed response is kept', async () => {
    const failed = responseOf([], { status: 'failed', error: { code: 'server_error', message: 'oops' } });
    await using server = await modelServer(
      reply([...opening, { type: 'response.failed', response: failed }]),
    );
    expect((await callResponses(server.url)).outcome).toMatchObject({
      kind: 'failed',
      used: { usage: { input: 10, output: 5 } },
    });
  });

  test.each([
    [
      'an error in one piece',
      { error: { code: 'server_error', message: 'oops' } },
      { kind: 'retry', code: 'server_error' },
    ],
    [
      'a failed response in one piece',
      responseOf([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' } }),
      { kind: 'retry', rateLimited: true },
    ],
    ['another object', { object: 'list' }, { kind: 'retry', code: 'malformed_reply' }],
  ])('%s', async (_name, body, expected) => {
    expect(await failing(garbage(JSON.stringify(body), 'application/json'))).toMatchObject(expected);
  });
});

describe('streams that end badly', () => {
  const events = response([says('msg_1', 'Half ', 'past'), calls('fc_1', 'call_1', 'clock', '{"n":', '1}')]);
  const inCall = events.findIndex(({ type }) => type === 'response.function_call_arguments.delta') + 1;

  test.each(['close', 'reset'] as const)('a %s before the last event drops the reply', async (how) => {
    for (const n of [1, 3, 5, events.length - 1])
      expect(await failing(cut(events, n, how))).toMatchObject({ kind: 'retry', code: 'stream_broken' });
  });

  test('a close inside a call is a truncation; a reset there is a broken stream', async () => {
    await using server = await modelServer(cut(events, inCall, 'close'));
    const reply = admissible(replyOf((await callResponses(server.url)).outcome));
    expect(reply).toMatchObject({ stop: 'max_tokens', cutCalls: true, content: [{ text: 'Half past' }] });
    expect(await failing(cut(events, inCall, 'reset'))).toMatchObject({ code: 'stream_broken' });
  });

  test('silence ends the call', async () => {
    expect(await failing(stall(begins([says('msg_1', 'Half')])), { idleMs: 50 })).toMatchObject({
      kind: 'retry',
      code: 'stream_stalled',
    });
  });

  test('what was written before we ended the call is kept', async () => {
    const stop = new AbortController();
    await using server = await modelServer(stall(begins([says('msg_1', 'Half')])));
    const { outcome } = await callResponses(server.url, {
      signal: stop.signal,
      onDelta: () => stop.abort(),
    });
    expect(replyOf(outcome)).toMatchObject({ stop: 'interrupted', content: [{ text: 'Half' }] });
  });
});

test('software-agent-sdk#1208: a model without encrypted reasoning is asked again without it, and that is learned', async () => {
  const message = 'Encrypted content is not supported with this model.';
  await using server = await modelServer(
    refused(400, { message, type: 'invalid_request_error', param: 'include', code: null }),
    reply(response([says('msg_1', 'Nine.')])),
  );
  const request = modelRequest({ provider: 'openai-responses', model: 'gpt-old-1' });
  const { outcome } = await callResponses(server.url, { request });
  expect(outcome).toMatchObject({ kind: 'reply', learned: [{ rule: 'no_encrypted_reasoning' }] });
  expect(server.requests.map(({ body }) => 'include' in body)).toEqual([true, false]);
});
