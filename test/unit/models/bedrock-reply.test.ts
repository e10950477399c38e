import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import {
  begins,
  calls,
  converse,
  event,
  exception,
  hides,
  metadata,
  says,
  stop,
  thinks,
  transportError,
} from '../../support/converse-events.ts';
import { callBedrock, failureOf, KEY, modelRequest, replyOf } from '../../support/model-call.ts';
import {
  cut,
  deadUrl,
  garbage,
  modelServer,
  type Piece,
  reply,
  type Step,
  status,
} from '../../support/model-server.ts';

async function answered(pieces: readonly Piece[]) {
  await using server = await modelServer(reply(pieces));
  const { outcome, deltas } = await callBedrock(server.url);
  return { reply: replyOf(outcome), deltas };
}

async function failing(step: Step): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callBedrock(server.url)).outcome);
}

describe('the request', () => {
  test('the model is one segment of the path, and a key is a bearer token (vercel/ai#17523)', async () => {
    await using server = await modelServer(reply(converse([says('Hi.')])));
    const model = 'arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/abc';
    await callBedrock(server.url, { request: modelRequest({ provider: 'bedrock-converse', model }) });
    expect(server.requests[0]).toMatchObject({
      path: `/model/${encodeURIComponent(model)}/converse-stream`,
      headers: { authorization: `Bearer ${KEY}` },
    });
  });

  test('a signer replaces the key', async () => {
    await using server = await modelServer(reply(converse([says('Hi.')])));
    const sign = async ({ headers }: { readonly headers: object }) => ({
      ...headers,
      authorization: 'AWS4-HMAC-SHA256 x',
    });
    await callBedrock(server.url, { sign });
    expect(server.requests[0]?.headers.authorization).toBe('AWS4-HMAC-SHA256 x');
  });
});

describe('a reply', () => {
  test('has text, thinking and calls in their order', async () => {
    const { reply: got, deltas } = await answered(
      converse(
        [thinks('sig', 'Hm', '.'), says('On', ' it.'), calls('tooluse_1', 'get', '{"n":', '1}')],
        'tool_use',
      ),
    );
    expect(got).toMatchObject({
      stop: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'On it.' },
        { type: 'tool_use', id: 'tooluse_1', name: 'get', input: { n: 1 } },
      ],
      calls: [{ id: 'tooluse_1', name: 'get', input: { n: 1 } }],
      usage: { input: 20, output: 5 },
    });
    expect(deltas.map(({ text }) => text).join('')).toBe('Hm.On it.');
  });

  test('keeps a signature without thinking (BerriAI/litellm#38809) and encrypted reasoning (earendil-works/pi#8314)', async () => {
    const pieces = [Buffer.from([0]), Buffer.from([1, 2])].map((bytes) => bytes.toString('base64'));
    const { reply: got } = await answered(converse([thinks('sig'), hides(...pieces), says('Hi.')]));
    expect(got.content).toEqual([
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'AAEC' },
      { type: 'text', text: 'Hi.' },
    ]);
  });

  test('a call without arguments has empty input', async () => {
    const { reply: got } = await answered(converse([calls('tooluse_1', 'get')], 'tool_use'));
    expect(got.calls).toEqual([{ id: 'tooluse_1', name: 'get', input: {} }]);
  });

  test('the usage has cached tokens with their lifetimes', async () => {
    const usage = {
      ...{ inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100, cacheWriteInputTokens: 30 },
      cacheDetails: [
        { ttl: '1h', inputTokens: 20 },
        { ttl: '5m', inputTokens: 10 },
      ],
    };
    const { reply: got } = await answered(converse([says('Hi.')], 'end_turn', usage));
    expect(got.usage).toEqual({ input: 10, output: 5, cacheRead: 100, cacheWrite: 30, cacheWrite1h: 20 });
  });

  test.each([
    ['end_turn', 'end_turn', undefined],
    ['stop_sequence', 'end_turn', undefined],
    ['max_tokens', 'max_tokens', undefined],
    ['guardrail_intervened', 'refusal', 'guardrail_intervened'],
    ['content_filtered', 'refusal', 'content_filtered'],
    ['model_context_window_exceeded', 'context_limit', undefined],
    ['malformed_tool_use', 'unknown', 'malformed_tool_use'],
    ['malformed_model_output', 'unknown', 'malformed_model_output'],
    ['brand_new', 'unknown', 'brand_new'],
  ])('stops with %s as %s', async (told, as, detail) => {
    const { reply: got } = await answered(converse([says('Hi.')], told));
    expect([got.stop, got.stopDetail]).toEqual([as, detail]);
  });

  test('unknown events and blocks change nothing', async () => {
    const odd = event('contentBlockDelta', { contentBlockIndex: 7, delta: { image: {} } });
    const { reply: got } = await answered([
      begins,
      event('brandNew'),
      odd,
      ...says('Hi.')(0),
      stop('end_turn'),
      metadata(),
    ]);
    expect(got.content).toEqual([{ type: 'text', text: 'Hi.' }]);
  });

  test('a reply whose usage is missing is whole, and its usage is estimated', async () => {
    const { reply: got } = await answered([begins, ...says('Hi.')(0), stop('end_turn')]);
    expect(got).toMatchObject({ stop: 'end_turn', estimated: true });
  });

  test('is the same in pieces of one byte', async () => {
    const bytes = Buffer.concat(converse([says('Hé', '.')]));
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect((await answered(pieces)).reply.content).toEqual([{ type: 'text', text: 'Hé.' }]);
  });
});

describe('failures by status', () => {
  const refused = (code: number, type: string, message: string) =>
    status(code, { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }, { message });
  test.each([
    [400, 'ValidationException', 'no', 'fatal', 'validationException'],
    [400, 'ValidationException', 'Input is too long for requested model.', 'too_long', 'context_limit'],
    [403, 'AccessDeniedException', 'no', 'account', 'accessDeniedException'],
    [404, 'ResourceNotFoundException', 'no', 'fatal', 'resourceNotFoundException'],
    [408, 'ModelTimeoutException', 'no', 'retry', 'modelTimeoutException'],
    [424, 'ModelErrorException', 'no', 'retry', 'modelErrorException'],
    [429, 'ThrottlingException', 'Too many requests.', 'retry', 'throttlingException'],
    [429, 'ModelNotReadyException', 'no', 'retry', 'modelNotReadyException'],
    [
      429,
      'ThrottlingException',
      'Too many tokens per day, please wait before trying again.',
      'account',
      'throttlingException',
    ],
    [503, 'ServiceUnavailableException', 'no', 'retry', 'serviceUnavailableException'],
    [
      400,
      'ValidationException',
      'The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block',
      'thinking_mismatch',
      'validationException',
    ],
  ])('%i %s (%s) is %s', async (code, type, message, kind, as) => {
    expect(await failing(refused(code, type, message))).toMatchObject({ kind, code: as });
  });

  test('a 429 is a rate limit, with the wait that it asks for', async () => {
    const step = status(
      429,
      { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '3' },
      { message: 'no' },
    );
    expect(await failing(step)).toMatchObject({ rateLimited: true, retryAfterMs: 3000 });
  });

  test('a server that cannot be reached is tried again', async () => {
    const { outcome } = await callBedrock(await deadUrl());
    expect(failureOf(outcome)).toMatchObject({ kind: 'retry', code: 'connection_error' });
  });
});

describe('failures in the stream', () => {
  test.each([
    ['throttlingException', 'retry', true],
    ['modelStreamErrorException', 'retry', false],
    ['internalServerException', 'retry', false],
    ['serviceUnavailableException', 'retry', false],
    ['brandNewException', 'retry', false],
    ['validationException', 'fatal', undefined],
  ])('%s is %s (Mingye-Lu/AgenticCrawler#128)', async (name, kind, rateLimited) => {
    const failure = await failing(reply([begins, ...says('Hi')(0), exception(name, { message: 'no' })]));
    expect(failure).toMatchObject({ kind, code: name, ...(rateLimited !== undefined && { rateLimited }) });
  });

  test('an error of the transport is tried again', async () => {
    expect(await failing(reply([begins, transportError('InternalError', 'no')]))).toMatchObject({
      kind: 'retry',
    });
  });

  const changed = (at: number) => {
    const bytes = Buffer.from(Buffer.concat(converse([says('Hi.')])));
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };
  const long = Buffer.alloc(12);
  long.writeUInt32BE(0x7fffffff);
  test.each<[string, Step, string]>([
    ['a checksum of the lengths', reply([changed(9)]), 'malformed_reply'],
    ['a checksum of the content', reply([changed(40)]), 'malformed_reply'],
    ['a frame of two gigabytes', reply([long]), 'malformed_reply'],
    ['a page', garbage('<html>A gateway, and no stream.</html>'), 'malformed_reply'],
    ['a body that ends in a frame', reply([begins, begins.subarray(0, 20)]), 'stream_broken'],
    ['a body that ends early', cut(converse([says('Hi.')]), 2, 'close'), 'stream_broken'],
    ['a connection that breaks', cut(converse([says('Hi.')]), 2, 'reset'), 'stream_broken'],
  ])('%s is tried again', async (_, step, code) => {
    expect(await failing(step)).toMatchObject({ kind: 'retry', code });
  });

  test('a connection that breaks after the stop loses nothing but the usage', async () => {
    const pieces = [begins, ...says('Hi.')(0), stop('end_turn'), { pauseMs: 20 }];
    await using server = await modelServer(cut(pieces, pieces.length, 'reset'));
    expect(replyOf((await callBedrock(server.url)).outcome)).toMatchObject({
      stop: 'end_turn',
      estimated: true,
    });
  });
});
