import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import { admissible } from '../../../shared/agent/step/model/admissible.ts';
import {
  callOpenai,
  failureOf,
  KEY,
  modelRequest,
  type OpenaiCallOptions,
  replyOf,
} from '../../support/model-call.ts';
import {
  cut,
  deadUrl,
  garbage,
  hang,
  modelServer,
  type Piece,
  reply,
  type Step,
  stall,
  status,
} from '../../support/model-server.ts';
import { calls, completion, delta, finish, says, wire } from '../../support/openai-events.ts';

async function failing(step: Step, options: OpenaiCallOptions = {}): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callOpenai(server.url, options)).outcome);
}

const refused = (code: number, error: object | string, headers: Record<string, string> = {}) =>
  status(code, headers, typeof error === 'string' ? error : { error });

describe('A8: errors by status', () => {
  test.each<[number, object, string, string]>([
    [400, { type: 'invalid_request_error', code: null, message: 'no' }, 'fatal', 'invalid_request_error'],
    [401, { code: 'invalid_api_key' }, 'account', 'invalid_api_key'],
    [402, { message: 'Insufficient Balance' }, 'account', 'http_402'],
    [
      403,
      { code: 'unsupported_country_region_territory' },
      'account',
      'unsupported_country_region_territory',
    ],
    [404, { code: 'model_not_found' }, 'fatal', 'model_not_found'],
    [408, {}, 'retry', 'http_408'],
    [422, {}, 'fatal', 'http_422'],
    [429, { code: 'rate_limit_exceeded' }, 'retry', 'rate_limit_exceeded'],
    [429, { code: 'insufficient_quota' }, 'account', 'insufficient_quota'],
    [429, { type: 'insufficient_quota' }, 'account', 'insufficient_quota'],
    [500, { type: 'server_error' }, 'retry', 'server_error'],
    [501, {}, 'retry', 'http_501'],
    [503, {}, 'retry', 'http_503'],
    [504, {}, 'retry', 'http_504'],
  ])('%i %j is %s, after one request', async (code, error, kind, word) => {
    const failure = await failing(refused(code, error));
    expect(failure).toMatchObject({ kind, code: word, message: expect.stringContaining(`${code} ${word}`) });
    if (failure.kind === 'retry') expect(failure.rateLimited).toBe(code === 429);
  });

  test('the server’s own retry time is honoured', async () => {
    expect(await failing(refused(429, {}, { 'retry-after': '17' }))).toMatchObject({ retryAfterMs: 17_000 });
  });

  test.each([
    ['an HTML page', '<html>Bad Gateway</html>'],
    ['nothing', ''],
  ])('a body of %s is classified by status', async (_name, body) => {
    expect(await failing(refused(502, body))).toMatchObject({ kind: 'retry', code: 'http_502' });
  });

  test('a server that does not listen', async () => {
    expect(failureOf((await callOpenai(await deadUrl())).outcome)).toMatchObject({
      kind: 'retry',
      code: 'connection_error',
    });
  });

  test('after a 401 the key is looked up again, once', async () => {
    await using server = await modelServer(
      refused(401, { code: 'invalid_api_key' }),
      reply(completion(says('Nine.'))),
    );
    const key = async (refresh: boolean) => (refresh ? 'new-key' : 'old-key');
    replyOf((await callOpenai(server.url, { key })).outcome);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old-key',
      'Bearer new-key',
    ]);
  });

  test('a key can be sent in the header that the server reads', async () => {
    await using server = await modelServer(reply(completion(says('Nine.'))));
    await callOpenai(server.url, { auth: 'x-api-key' });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('messages show neither keys nor user text', async () => {
    const words = `wrong key ${KEY} near "What time is it in Lisbon?"`;
    expect((await failing(refused(400, { code: 'bad', message: words }))).message).toBe(
      'The model server answered 400 bad',
    );
    expect((await failing(refused(400, { code: 'bad', message: `wrong key ${KEY}` }))).message).toBe(
      'The model server answered 400 bad: wrong key [redacted]',
    );
  });
});

describe('streams that end badly', () => {
  const events = completion(
    [...says('Half ', 'past'), ...calls(0, 'a', 'clock', '{"n":', '1}')],
    'tool_calls',
  );

  test.each(['close', 'reset'] as const)('A19: a %s before the stop reason drops the reply', async (how) => {
    for (const n of [1, 2, 5]) {
      expect(await failing(cut(events, n, how))).toMatchObject({ kind: 'retry', code: 'stream_broken' });
    }
  });

  test.each([3, 4])(
    'A19, T18: a close after %i chunks, inside a call, is a truncation; a reset there is a broken stream',
    async (n) => {
      await using server = await modelServer(cut(events, n, 'close'));
      const reply = admissible(replyOf((await callOpenai(server.url)).outcome));
      expect(reply).toMatchObject({ stop: 'max_tokens', cutCalls: true, content: [{ text: 'Half past' }] });
      expect(reply.calls).toEqual([]);
      expect(await failing(cut(events, n, 'reset'))).toMatchObject({ code: 'stream_broken' });
    },
  );

  test('A19, H12: a close inside a call that is text is a truncation: the calls before it run', async () => {
    const whole = '<tool_call>{"name":"clock","arguments":{}}</tool_call>';
    await using server = await modelServer(reply([...says(whole), ...says('<tool_call>{"name":"cl')]));
    const cutReply = replyOf((await callOpenai(server.url, { calls: 'xml' })).outcome);
    expect(cutReply).toMatchObject({ stop: 'max_tokens', cutCalls: true, callsComplete: true });
    expect(admissible(cutReply).calls).toMatchObject([{ name: 'clock' }]);
  });

  test.each<[string, object | string, object]>([
    ['with a status', { code: 502, message: 'Upstream' }, { kind: 'retry' }],
    ['of overload', { type: 'server_error', code: null }, { kind: 'retry', code: 'server_error' }],
    ['of a rate limit', { code: 'rate_limit_exceeded' }, { kind: 'retry', rateLimited: true }],
    ['of billing', { code: 'insufficient_quota' }, { kind: 'account', code: 'insufficient_quota' }],
    ['of the request', { code: 'invalid_request_error' }, { kind: 'fatal' }],
    ['of its length', { code: 'context_length_exceeded' }, { kind: 'too_long' }],
    [
      'of its length, as a text',
      'Prompt too long; exceeded max context length by 9 tokens',
      { kind: 'too_long' },
    ],
  ])('an error chunk %s drops the text before it', async (_name, error, expected) => {
    expect(await failing(reply([...says('Half'), wire({ error })]))).toMatchObject(expected);
  });

  test.each(['insufficient_system_resource', 'error'])(
    'a server that ends with %s has failed',
    async (reason) => {
      expect(await failing(reply([...says('Half'), finish(reason)]))).toMatchObject({
        kind: 'retry',
        code: reason,
      });
    },
  );

  test.each<[string, Step]>([
    ['an HTML page', garbage('<html>\n\n<p>Sign in</p>\n\n</html>')],
    ['an empty body', garbage('')],
    ['a whole message as JSON', garbage('{"choices":[{"message":{"content":"Nine"}}]}', 'application/json')],
    ['a stream of another kind', reply(['data: {"world":1}\n\n'])],
    ['a chunk that is not JSON', reply([...says('Half'), 'data: {"choices":[{"del\n\n'])],
  ])('%s with status 200 is a malformed reply', async (_name, step) => {
    expect(await failing(step)).toMatchObject({ kind: 'retry', code: 'malformed_reply' });
  });
});

describe('facts 0.3: a server that stays silent', () => {
  test.each<[string, Step]>([
    ['before the headers', hang()],
    ['after the headers', stall([])],
    ['in the middle of a text', stall(says('Half'))],
  ])('%s times out', async (_name, step) => {
    expect(await failing(step, { idleMs: 300 })).toMatchObject({ kind: 'retry', code: 'stream_stalled' });
  });

  test('comments keep the call alive', async () => {
    const comments = Array.from({ length: 12 }, (): Piece[] => [
      { pauseMs: 100 },
      ': OPENROUTER PROCESSING\n\n',
    ]).flat();
    await using server = await modelServer(reply([...comments, ...completion(says('Nine'))]));
    expect(replyOf((await callOpenai(server.url, { idleMs: 800 })).outcome).stop).toBe('end_turn');
  });

  test('after the stop reason the reply is complete, and the wait for usage is limited', async () => {
    await using server = await modelServer(stall([...says('Nine'), finish('stop')]));
    expect(replyOf((await callOpenai(server.url)).outcome)).toMatchObject({
      stop: 'end_turn',
      content: [{ text: 'Nine' }],
    });
  });
});

describe('abort', () => {
  async function abortedAt(word: string, pieces: readonly Piece[], options: OpenaiCallOptions = {}) {
    await using server = await modelServer(stall(pieces));
    const abort = new AbortController();
    const onDelta = ({ text }: { text: string }) => text.includes(word) && abort.abort();
    return replyOf((await callOpenai(server.url, { ...options, signal: abort.signal, onDelta })).outcome);
  }

  test('before the call makes no request', async () => {
    await using server = await modelServer();
    const { outcome } = await callOpenai(server.url, { signal: AbortSignal.abort() });
    expect(replyOf(outcome)).toMatchObject({ stop: 'interrupted', content: [], model: 'gpt-test-1' });
  });

  test('in the middle keeps the text and complete calls, drops the cut one, and estimates the output', async () => {
    const pieces = [
      ...calls(0, 'a', 'clock', '{"n":1}'),
      ...calls(1, 'b', 'clock', '{"n"'),
      ...says('x'.repeat(27), 'now'),
    ];
    expect(await abortedAt('now', pieces)).toMatchObject({
      stop: 'interrupted',
      content: [{ type: 'text', text: `${'x'.repeat(27)}now` }, { id: 'a' }],
      calls: [{ id: 'a' }],
      // 30 characters of text, 7 and 4 of arguments, at four a token.
      usage: { input: 24, output: 11 },
      estimated: true,
    });
  });

  test('in a block of a call keeps the text that was streamed', async () => {
    const pieces = [delta({ content: 'Look now. <tool_call>{"name"' })];
    expect(await abortedAt('now', pieces, { calls: 'xml' })).toMatchObject({
      content: [{ type: 'text', text: 'Look now.' }],
      calls: [],
    });
  });
});

test('a request that cannot be serialized is fatal', async () => {
  await using server = await modelServer();
  const { outcome } = await callOpenai(server.url, { request: modelRequest({ request: { seed: 1n } }) });
  expect(failureOf(outcome)).toMatchObject({ kind: 'fatal', code: 'client_error' });
});
