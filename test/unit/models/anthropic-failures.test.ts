import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import { type CallOptions, callModel, failureOf, modelRequest, replyOf } from '../../support/model-call.ts';
import { message, messageStart, openBlock, text, toolUse } from '../../support/model-events.ts';
import {
  apiError,
  cut,
  deadUrl,
  garbage,
  modelServer,
  reply,
  type Step,
  status,
} from '../../support/model-server.ts';

async function failing(step: Step, options: CallOptions = {}): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callModel(server.url, options)).outcome);
}

const clockAt = (now: number) => ({ now: () => now, sleep: () => new Promise<void>(() => undefined) });

describe('an error of the Messages API', () => {
  test.each([
    [400, 'invalid_request_error', 'fatal'],
    [401, 'authentication_error', 'account'],
    [402, 'billing_error', 'account'],
    [403, 'permission_error', 'account'],
    [404, 'not_found_error', 'fatal'],
    [408, 'timeout_error', 'retry'],
    [409, 'conflict_error', 'retry'],
    [418, 'teapot_error', 'fatal'],
    [422, 'invalid_request_error', 'fatal'],
    [429, 'rate_limit_error', 'retry'],
    [500, 'api_error', 'retry'],
    [501, 'api_error', 'retry'],
    [502, 'api_error', 'retry'],
    [503, 'api_error', 'retry'],
    [504, 'timeout_error', 'retry'],
    [524, 'api_error', 'retry'],
    [529, 'overloaded_error', 'retry'],
  ])('A8: %i %s is %s, after one request', async (code, type, kind) => {
    const failure = await failing(apiError(code, type, 'so it is'));
    expect(failure).toMatchObject({
      kind,
      code: type,
      message: expect.stringContaining(`${code} ${type}: so it is`),
    });
    if (failure.kind === 'retry') expect(failure.rateLimited).toBe(code === 429);
  });

  test('A8: a conflict that the server marks as not retryable is fatal', async () => {
    const error = { type: 'conflict_error', message: 'no' };
    const answer = (headers: Record<string, string>) => status(409, headers, { type: 'error', error });
    expect(await failing(answer({ 'x-should-retry': 'false' }))).toMatchObject({ kind: 'fatal' });
    expect(await failing(answer({ 'x-should-retry': 'true' }))).toMatchObject({ kind: 'retry' });
  });

  test.each([
    ['enforced_spend_limit_reached', 'account', 'enforced_spend_limit_reached'],
    ['contract_spend_limit_reached', 'account', 'contract_spend_limit_reached'],
    ['ramp_limit_exceeded', 'retry', 'rate_limit_error'],
  ])('facts 0.2: a 429 with %s is %s', async (error_code, kind, code) => {
    const error = { type: 'rate_limit_error', message: 'limit', details: { error_code } };
    expect(await failing(status(429, { 'retry-after': '600' }, { type: 'error', error }))).toMatchObject({
      kind,
      code,
    });
  });

  test.each([
    ['an HTML page', '<html>Bad Gateway</html>'],
    ['nothing', ''],
    ['JSON of another API', { detail: [{ loc: ['body'] }] }],
    ['an error without a message', { error: 'no' }],
  ])('an error body of %s is classified by status', async (_name, body) => {
    expect(await failing(status(502, {}, body))).toMatchObject({
      kind: 'retry',
      code: 'http_502',
      message: 'The model server answered 502 http_502',
    });
    expect(await failing(status(400, {}, body))).toMatchObject({ kind: 'fatal', code: 'http_400' });
  });
});

describe('retry-after', () => {
  const now = Date.parse('Sun, 22 Nov 2026 10:00:00 GMT');

  test.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '17' }, 17_000],
    ['a fraction of a second', { 'retry-after': '0.0125' }, 13],
    ['zero', { 'retry-after': '0' }, 0],
    ['longer than SQS can delay', { 'retry-after': '86400' }, 86_400_000],
    ['years, of which a day counts', { 'retry-after': '99999999' }, 86_400_000],
    ['milliseconds of years', { 'retry-after-ms': '1e15', 'retry-after': '17' }, 17_000],
    ['no number that a date could take', { 'retry-after': '9'.repeat(400) }, 86_400_000],
    ['a moment in seconds since 1970', { 'retry-after': String(now / 1000 + 30) }, 30_000],
    ['a moment in milliseconds since 1970', { 'retry-after': String(now + 30_000) }, 30_000],
    ['infinity', { 'retry-after': 'Infinity' }, undefined],
    ['a number in another form', { 'retry-after': '0x10' }, undefined],
    ['milliseconds, which win', { 'retry-after-ms': '1500', 'retry-after': '17' }, 1500],
    ['a date', { 'retry-after': 'Sun, 22 Nov 2026 10:02:00 GMT' }, 120_000],
    ['a date in the past', { 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT' }, 0],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['nonsense', { 'retry-after': 'soon', 'retry-after-ms': 'x' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', async (_name, headers, expected) => {
    for (const code of [429, 529]) {
      const failure = await failing(apiError(code, 'some_error', 'no', headers), { clock: clockAt(now) });
      expect(failure.kind === 'retry' && failure.retryAfterMs).toBe(expected);
    }
  });
});

describe('streams that end badly', () => {
  const events = message(
    [text('Half ', 'past'), toolUse('toolu_1', 'clock', '{"city":', '"Lisbon"}')],
    'tool_use',
  );

  test.each(['close', 'reset'] as const)(
    'facts 0.4, A19: a %s before message_stop keeps nothing',
    async (how) => {
      // By the time the stream breaks every piece has arrived, so what follows is the whole of an unfinished message.
      for (const n of [1, 4, 10, events.length - 1]) {
        expect(await failing(cut(events, n, how))).toMatchObject({
          kind: 'retry',
          code: 'stream_broken',
          rateLimited: false,
        });
      }
    },
  );

  test.each([7, 8, 9])(
    'A19, T18: a close after %i events, inside a call, is a truncation, and charged; a reset there is a broken stream',
    async (n) => {
      await using server = await modelServer(cut(events, n, 'close'));
      const reply = replyOf((await callModel(server.url)).outcome);
      expect(reply).toMatchObject({
        stop: 'max_tokens',
        cutCalls: true,
        content: [{ type: 'text', text: 'Half past' }],
        calls: [],
        usage: { input: 10 },
        estimated: true,
      });
      expect(await failing(cut(events, n, 'reset'))).toMatchObject({ code: 'stream_broken' });
    },
  );

  test.each(['close', 'reset'] as const)(
    'T19: the usage that the server reported before a %s is known',
    async (how) => {
      await using server = await modelServer(cut(events, 4, how), cut(events, 0, how));
      // 10 input tokens, as reported; 5 characters of output, at four a token.
      expect((await callModel(server.url)).outcome).toMatchObject({
        kind: 'failed',
        used: { usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 }, estimated: true },
      });
      expect((await callModel(server.url)).outcome).not.toHaveProperty('used');
    },
  );

  test('a connection that is reset before the first event', async () => {
    expect(await failing(cut(events, 0, 'reset'))).toMatchObject({
      kind: 'retry',
      code: expect.stringMatching(/^(stream_broken|connection_error)$/),
    });
  });

  test.each([
    ['overloaded_error', { kind: 'retry', code: 'overloaded_error', rateLimited: false }],
    ['rate_limit_error', { kind: 'retry', code: 'rate_limit_error', rateLimited: true }],
    ['something_new', { kind: 'retry', code: 'something_new', rateLimited: false }],
    ['invalid_request_error', { kind: 'fatal', code: 'invalid_request_error' }],
    ['authentication_error', { kind: 'account', code: 'authentication_error' }],
  ])('an error event of type %s drops the text before it', async (type, expected) => {
    const error = { type: 'error', error: { type, message: 'Overloaded' } };
    expect(await failing(reply([messageStart(), ...openBlock(text('Half'), 0), error]))).toMatchObject(
      expected,
    );
  });

  test.each([
    ['an HTML page', garbage('<html>\n\n<p>Sign in to the hotel network</p>\n\n</html>')],
    ['an empty body', garbage('')],
    ['a whole message as JSON', garbage('{"type":"message","content":[]}', 'application/json')],
    ['no content', status(204, {}, '')],
    ['a stream of another kind', reply(['event: hello\ndata: {"world":1}\n\n'])],
    [
      'an event that is not JSON',
      reply([messageStart(), 'event: content_block_delta\ndata: {"type":"content_bl\n\n']),
    ],
    ['bytes', reply([Uint8Array.from({ length: 500 }, (_, n) => (n * 37) % 256)])],
  ])('%s with status 200 is a malformed reply', async (_name, step) => {
    expect(await failing(step)).toMatchObject({ kind: 'retry', code: 'malformed_reply', rateLimited: false });
  });
});

test('a server that does not listen', async () => {
  const { outcome } = await callModel(await deadUrl());
  expect(failureOf(outcome)).toEqual({
    kind: 'retry',
    code: 'connection_error',
    message: 'No connection to the model server (ECONNREFUSED).',
    rateLimited: false,
  });
});

test('a request that cannot be serialized is fatal', async () => {
  await using server = await modelServer();
  const { outcome } = await callModel(server.url, { request: modelRequest({ request: { seed: 1n } }) });
  expect(failureOf(outcome)).toMatchObject({ kind: 'fatal', code: 'client_error' });
});
