import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import {
  blocked,
  call,
  chunk,
  detail,
  ends,
  error,
  generated,
  signature,
  text,
  thought,
  wire,
} from '../../support/gemini-events.ts';
import { callGemini, failureOf, KEY, modelRequest, replyOf } from '../../support/model-call.ts';
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

async function answered(pieces: readonly Piece[]) {
  await using server = await modelServer(reply(pieces));
  const { outcome, deltas } = await callGemini(server.url);
  return { reply: replyOf(outcome), deltas };
}

async function failing(step: Step): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callGemini(server.url)).outcome);
}

const request = (more: Partial<ReturnType<typeof modelRequest>>) =>
  modelRequest({ provider: 'gemini', model: 'gemini-test-3', ...more });

describe('the request', () => {
  test.each([
    ['gemini-test-3', '/v1beta/models/gemini-test-3:streamGenerateContent?alt=sse'],
    ['models/gemini-test-3', '/v1beta/models/gemini-test-3:streamGenerateContent?alt=sse'],
    ['tunedModels/a b', '/v1beta/tunedModels/a%20b:streamGenerateContent?alt=sse'],
  ])('for %s goes to %s, with the key only in its header', async (model, path) => {
    await using server = await modelServer(reply(generated([text('Hi.')])));
    await callGemini(`${server.url}/v1beta/`, { request: request({ model }) });
    const [sent] = server.requests;
    expect(sent).toMatchObject({ path, headers: { 'x-goog-api-key': KEY } });
    expect(sent?.headers).not.toHaveProperty('authorization');
    expect(`${sent?.path} ${sent?.raw}`).not.toContain(KEY);
  });

  test('in one piece goes to generateContent', async () => {
    const body = JSON.parse(chunk([text('Hi.')], { finishReason: 'STOP' }).slice(6));
    await using server = await modelServer(status(200, {}, body));
    const { outcome } = await callGemini(server.url, { request: request({ request: { stream: false } }) });
    expect(replyOf(outcome)).toMatchObject({ stop: 'end_turn', content: [{ type: 'text', text: 'Hi.' }] });
    expect(server.requests[0]?.path).toBe('/models/gemini-test-3:generateContent');
  });

  test('a refused key is looked up once more: Google says 400 (google-gemini/gemini-cli#25198)', async () => {
    const details = [detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })];
    const refused = status(400, {}, error(400, 'INVALID_ARGUMENT', 'API key not valid.', details));
    await using server = await modelServer(refused, reply(generated([text('Hi.')])), refused);
    const key = async (refresh: boolean) => (refresh ? 'AIza-new' : 'AIza-old');
    replyOf((await callGemini(server.url, { key })).outcome);
    expect(server.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual(['AIza-old', 'AIza-new']);
    const again = await callGemini(server.url, { key: async () => 'AIza-old' });
    expect(failureOf(again.outcome)).toMatchObject({ kind: 'account', code: 'API_KEY_INVALID' });
  });
});

describe('a reply', () => {
  test('has thoughts, text and calls in their order, with their signatures and ids', async () => {
    const { reply: got, deltas } = await answered(
      generated([
        thought('Hm'),
        thought('.'),
        text('On'),
        text(' it.'),
        call('get', { n: 1 }, 'sig', 'x#1'),
        call('get', { n: 2 }),
      ]),
    );
    const [, , , first, second] = got.content;
    expect(got).toMatchObject({
      stop: 'tool_use',
      model: 'gemini-test-3',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'On it.' },
        { type: 'thinking', signature: signature('sig'), _given: { message: { of: 'call' } } },
        { type: 'tool_use', name: 'get', input: { n: 1 }, _given: { id: 'x#1' } },
        { type: 'tool_use', name: 'get', input: { n: 2 } },
      ],
      usage: { input: 20, output: 5, cacheRead: 0 },
    });
    expect(got.content).toHaveLength(5);
    expect(second).not.toHaveProperty('_given');
    expect(got.calls).toEqual([
      { id: first?.id, name: 'get', input: { n: 1 } },
      { id: second?.id, name: 'get', input: { n: 2 } },
    ]);
    expect(first?.id).toMatch(/^call_\w{24}$/);
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Hm' },
      { kind: 'thinking', text: '.' },
      { kind: 'text', text: 'On' },
      { kind: 'text', text: ' it.' },
    ]);
  });

  test('keeps the signature of its last, empty text (vercel/ai#12402)', async () => {
    const { reply: got } = await answered([
      chunk([text('4')]),
      chunk([text('', 'sig')], { finishReason: 'STOP' }),
    ]);
    expect(got).toMatchObject({
      stop: 'end_turn',
      content: [
        { type: 'text', text: '4' },
        {
          type: 'thinking',
          thinking: '',
          signature: signature('sig'),
          _given: { message: { of: 'blank' } },
        },
      ],
    });
  });

  test('keeps signed and unsigned text apart, and shows both (aaif-goose/goose#7204)', async () => {
    const { reply: got, deltas } = await answered(generated([text('A'), text('B', 'one'), text('C')]));
    expect(got.content).toEqual([
      { type: 'text', text: 'A' },
      {
        ...{ type: 'thinking', thinking: '', signature: signature('one') },
        _given: { message: { of: 'text' } },
      },
      { type: 'text', text: 'B' },
      { type: 'text', text: 'C' },
    ]);
    expect(deltas.map(({ text: words }) => words).join('')).toBe('ABC');
  });

  test('a call without arguments has empty input', async () => {
    const { reply: got } = await answered(generated([{ functionCall: { name: 'get' } }]));
    expect(got.calls).toMatchObject([{ name: 'get', input: {} }]);
  });

  test('arguments that are too deep or no object reach the tool, and history has an object', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const piece = generated([call('get', { city: 'DEEP' }), call('get', ['a'])]).map((one) =>
      one.replace('"DEEP"', deep),
    );
    const { reply: got } = await answered(piece);
    expect(got.calls.map(({ input }) => input)).toEqual(['nested deeper than 100 levels', {}]);
    expect(got.content.map(({ input }) => input)).toEqual([
      { INVALID_JSON: 'nested deeper than 100 levels' },
      {},
    ]);
  });

  test('a number beyond those of JavaScript stays its digits', async () => {
    const pieces = generated([call('get', { id: 'BIG' })]).map((one) =>
      one.replace('"BIG"', '12345678901234567890'),
    );
    expect((await answered(pieces)).reply.calls).toMatchObject([{ input: { id: '12345678901234567890' } }]);
  });

  test('a call whose arguments are streamed in pieces counts as cut', async () => {
    const begins = { functionCall: { name: 'get', willContinue: true } };
    const grows = { functionCall: { partialArgs: [{ jsonPath: '$.n', numberValue: 1 }] } };
    const { reply: got } = await answered(generated([begins, grows]));
    expect(got).toMatchObject({ stop: 'max_tokens', calls: [], cutCalls: true });
  });

  test('counts cached tokens apart, tokens of tools as input, and thoughts as output', async () => {
    const usageMetadata = {
      ...{ promptTokenCount: 100, cachedContentTokenCount: 60, toolUsePromptTokenCount: 7 },
      ...{ candidatesTokenCount: 5, thoughtsTokenCount: 94, serviceTier: 'standard' },
    };
    const { reply: got } = await answered([
      chunk([text('Hi.')], { finishReason: 'STOP' }, { usageMetadata }),
    ]);
    expect(got).toMatchObject({ usage: { input: 47, output: 99, cacheRead: 60, cacheWrite: 0 } });
    expect(got.billing).toBeUndefined();
  });

  test.each([
    ['flex', { modes: ['flex'] }],
    ['PRIORITY', { modes: ['priority'] }],
    ['brand_new', { unpriced: ['other_mode'] }],
  ])('reports the tier %s', async (serviceTier, billing) => {
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, serviceTier };
    const { reply: got } = await answered([
      chunk([text('Hi.')], { finishReason: 'STOP' }, { usageMetadata }),
    ]);
    expect(got.billing).toEqual(billing);
  });

  test('without usage is estimated, and a usage that is no number is reported', async () => {
    const whole = (usageMetadata: unknown) => [
      chunk([text('Hi.')], { finishReason: 'STOP' }, { usageMetadata }),
    ];
    expect((await answered(whole(undefined))).reply.estimated).toBe(true);
    const said: string[] = [];
    await using server = await modelServer(reply(whole({ promptTokenCount: 'many' })));
    await callGemini(server.url, { log: (message) => said.push(message) });
    expect(said).toEqual([expect.stringContaining('input_tokens')]);
  });

  test.each([
    ['STOP', 'end_turn', undefined],
    ['MAX_TOKENS', 'max_tokens', undefined],
    ['SAFETY', 'refusal', 'SAFETY'],
    ['RECITATION', 'refusal', 'RECITATION'],
    ['PROHIBITED_CONTENT', 'refusal', 'PROHIBITED_CONTENT'],
    ['SPII', 'refusal', 'SPII'],
    ['BLOCKLIST', 'refusal', 'BLOCKLIST'],
    ['OTHER', 'unknown', 'OTHER'],
    ['BRAND_NEW', 'unknown', 'BRAND_NEW'],
  ])('stops with %s as %s', async (told, as, stopDetail) => {
    const { reply: got } = await answered(generated([text('Hi.')], told));
    expect([got.stop, got.stopDetail]).toEqual([as, stopDetail]);
  });

  test('a blocked prompt is a refusal (vercel/ai#19758)', async () => {
    const { reply: got } = await answered([blocked('PROHIBITED_CONTENT')]);
    expect(got).toMatchObject({ stop: 'refusal', stopDetail: 'PROHIBITED_CONTENT', content: [] });
  });

  test('a malformed call is told to the model, and no call of the reply runs (NousResearch/hermes-agent#83886)', async () => {
    const finishMessage = 'Malformed function call: print(default_api.get(n=1))';
    const { reply: got } = await answered(
      generated([text('On it.'), call('get', { n: 1 }, 'sig')], 'MALFORMED_FUNCTION_CALL', { finishMessage }),
    );
    expect(got).toMatchObject({
      malformed: finishMessage,
      calls: [],
      content: [{ type: 'text' }, { type: 'thinking' }],
    });
  });

  test('a malformed call without content has its reason (google-gemini/gemini-cli#12674)', async () => {
    const { reply: got } = await answered([
      wire({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }], modelVersion: 'gemini-test-3' }),
    ]);
    expect(got).toMatchObject({ malformed: 'MALFORMED_FUNCTION_CALL', content: [] });
  });

  test('a call to an unknown tool runs if it came, so that the model reads why it fails (epam/ai-dial-adapter-vertexai#325)', async () => {
    const finishMessage = 'Unexpected tool call: Model tried to call an undeclared function: find';
    const came = generated([call('find', {}, 'sig')], 'UNEXPECTED_TOOL_CALL', { finishMessage });
    const { reply: got } = await answered(came);
    expect(got.calls).toMatchObject([{ name: 'find' }]);
    expect(got.malformed).toBeUndefined();
    const { reply: without } = await answered(generated([], 'UNEXPECTED_TOOL_CALL', { finishMessage }));
    expect(without).toMatchObject({ malformed: finishMessage, calls: [] });
  });

  test('a finish reason without content ends it (agentjido/req_llm#638)', async () => {
    const { reply: got } = await answered([
      chunk([text('Hi.')]),
      wire({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
      }),
    ]);
    expect(got).toMatchObject({ stop: 'end_turn', usage: { input: 9, output: 3 } });
  });

  test('a gateway’s STOP before anything is said ends nothing (Chevey339/kelivo#1003)', async () => {
    const early = chunk([], { finishReason: 'STOP' });
    const { reply: got } = await answered([early, early, chunk([text('Hi.')]), early]);
    expect(got).toMatchObject({ stop: 'end_turn', content: [{ type: 'text', text: 'Hi.' }] });
    const usage = wire({ usageMetadata: { promptTokenCount: 3 } });
    expect((await answered([early, usage])).reply).toMatchObject({ stop: 'end_turn', content: [] });
    expect(await failing(reply([early, chunk([text('Hi.')])]))).toMatchObject({ code: 'stream_broken' });
  });

  test('only the first of several candidates is read', async () => {
    const other = wire({
      candidates: [{ index: 1, content: { parts: [text('Other.')] }, finishReason: 'STOP' }],
    });
    const { reply: got } = await answered([other, ...generated([text('Hi.')])]);
    expect(got).toMatchObject({ stop: 'end_turn', content: [{ type: 'text', text: 'Hi.' }] });
  });

  test('unknown parts and chunks change nothing', async () => {
    const { reply: got } = await answered([
      wire({ brandNew: true }),
      chunk([{ executableCode: {} }, text('Hi.'), { inlineData: {} }]),
      'data: [DONE]\n\n',
      ends('STOP'),
    ]);
    expect(got.content).toEqual([{ type: 'text', text: 'Hi.' }]);
  });

  test('is the same in pieces of one byte', async () => {
    const bytes = Buffer.from(generated([text('Hé.', 'sig')]).join(''));
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect((await answered(pieces)).reply.content).toMatchObject([
      { type: 'thinking', signature: signature('sig') },
      { type: 'text', text: 'Hé.' },
    ]);
  });

  test('that we end keeps what has come', async () => {
    await using server = await modelServer(stall([chunk([text('Hal')]), chunk([text('f')])]));
    const ended = new AbortController();
    const { outcome } = await callGemini(server.url, {
      signal: ended.signal,
      onDelta: ({ text: words }) => words === 'f' && ended.abort(),
    });
    expect(replyOf(outcome)).toMatchObject({ stop: 'interrupted', content: [{ text: 'Half' }] });
  });
});

describe('failures by status', () => {
  const day = detail('QuotaFailure', {
    violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
  });
  const wait = detail('RetryInfo', { retryDelay: '36.4s' });
  test.each<[number, string, string, readonly ReturnType<typeof detail>[], string, string]>([
    [400, 'INVALID_ARGUMENT', 'no', [], 'fatal', 'INVALID_ARGUMENT'],
    [
      ...([400, 'INVALID_ARGUMENT'] as const),
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
      ...([[], 'too_long', 'context_limit'] as const),
    ],
    [
      ...([400, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit: 104857600 bytes.'] as const),
      ...([[], 'too_long', 'context_limit'] as const),
    ],
    [400, 'INVALID_ARGUMENT', 'Corrupted thought signature.', [], 'thinking_mismatch', 'INVALID_ARGUMENT'],
    [
      ...([400, 'INVALID_ARGUMENT'] as const),
      "Invalid value at 'contents[3].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed",
      ...([[], 'thinking_mismatch', 'INVALID_ARGUMENT'] as const),
    ],
    [
      ...([400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'] as const),
      ...([[], 'account', 'FAILED_PRECONDITION'] as const),
    ],
    [403, 'PERMISSION_DENIED', 'no', [], 'account', 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND', 'no', [], 'fatal', 'NOT_FOUND'],
    [
      429,
      'RESOURCE_EXHAUSTED',
      'Resource has been exhausted (e.g. check quota).',
      [],
      'retry',
      'RESOURCE_EXHAUSTED',
    ],
    [
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota.',
      [day, wait],
      'retry',
      'RESOURCE_EXHAUSTED',
    ],
    [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [day], 'account', 'RESOURCE_EXHAUSTED'],
    [
      429,
      'RESOURCE_EXHAUSTED',
      'Quota exceeded for metric: x, limit: 0',
      [wait],
      'account',
      'RESOURCE_EXHAUSTED',
    ],
    [429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.', [], 'account', 'RESOURCE_EXHAUSTED'],
    [499, 'CANCELLED', 'The operation was cancelled.', [], 'retry', 'CANCELLED'],
    [500, 'INTERNAL', 'no', [], 'retry', 'INTERNAL'],
    [503, 'UNAVAILABLE', 'The model is overloaded.', [], 'retry', 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED', 'no', [], 'retry', 'DEADLINE_EXCEEDED'],
  ])('%i %s (%s) is %s', async (code, name, message, details, kind, as) => {
    const failure = await failing(status(code, {}, error(code, name, message, details)));
    expect(failure).toMatchObject({ kind, code: as });
  });

  test('the length of a request is told', async () => {
    const message = 'The input token count exceeds the maximum number of tokens allowed 1048576.';
    const failure = await failing(status(400, {}, [error(400, 'INVALID_ARGUMENT', message)]));
    expect(failure).toMatchObject({ kind: 'too_long', most: 1_048_576 });
  });

  test('a 429 waits as long as it asks for (diegosouzapw/OmniRoute#9504)', async () => {
    const step = status(429, {}, error(429, 'RESOURCE_EXHAUSTED', 'no', [day, wait]));
    expect(await failing(step)).toMatchObject({ rateLimited: true, retryAfterMs: 36_400 });
  });

  test.each([
    `Invalid JSON payload received. Unknown name "x" at 'tools[0].function_declarations[3].parameters': Cannot find field.`,
    'The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[3].name: [FIELD_INVALID] Invalid function name.',
  ])('a refused declaration names its tool (kaitranntt/ccs#25): %s', async (message) => {
    const failure = await failing(status(400, {}, error(400, 'INVALID_ARGUMENT', message)));
    expect(failure).toMatchObject({ kind: 'fatal', tool: { index: 3 } });
  });

  test('a suspended key is not shown', async () => {
    const message = `Permission denied: Consumer 'api_key:${KEY}' has been suspended.`;
    const failure = await failing(status(403, {}, error(403, 'PERMISSION_DENIED', message)));
    expect(failure.kind).toBe('account');
    expect(failure.message).toContain('has been suspended');
    expect(failure.message).not.toContain(KEY);
  });

  test('an error that repeats what people wrote is not shown', async () => {
    const message = 'Invalid value: "What time is it in Lisbon?"';
    const failure = await failing(status(400, {}, error(400, 'INVALID_ARGUMENT', message)));
    expect(failure.message).not.toContain('Lisbon');
  });

  test('a page of a proxy is tried again', async () => {
    expect(await failing(status(502, {}, '<html>Bad gateway</html>'))).toMatchObject({
      ...{ kind: 'retry', code: 'http_502' },
    });
  });

  test('a server that cannot be reached is tried again', async () => {
    const { outcome } = await callGemini(await deadUrl());
    expect(failureOf(outcome)).toMatchObject({ kind: 'retry', code: 'connection_error' });
  });
});

describe('failures in the stream', () => {
  test.each([
    [503, 'UNAVAILABLE', 'retry', false],
    [429, 'RESOURCE_EXHAUSTED', 'retry', true],
    [500, 'INTERNAL', 'retry', false],
    [499, 'CANCELLED', 'retry', false],
    [400, 'INVALID_ARGUMENT', 'fatal', undefined],
  ])('%i %s is %s', async (code, name, kind, rateLimited) => {
    const failure = await failing(reply([chunk([text('Hi')]), wire(error(code, name))]));
    expect(failure).toMatchObject({ kind, code: name, ...(rateLimited !== undefined && { rateLimited }) });
  });

  const parts = generated([text('Hi.')]);
  test.each<[string, Step, string]>([
    ['a page', garbage('<html>A gateway, and no stream.</html>'), 'malformed_reply'],
    [
      'a chunk that is no JSON',
      reply([chunk([text('Hi')]), 'data: {"candidates": [\n\n', ends('STOP')]),
      'malformed_reply',
    ],
    ['a body that ends in a chunk', reply([chunk([text('Hi')]), 'data: {"candidates": [']), 'stream_broken'],
    [
      'a body without a finish reason (strands-agents/sdk-typescript#717)',
      cut(parts, 1, 'close'),
      'stream_broken',
    ],
    ['a connection that breaks', cut(parts, 1, 'reset'), 'stream_broken'],
  ])('%s is tried again', async (_, step, code) => {
    expect(await failing(step)).toMatchObject({ kind: 'retry', code });
  });

  test('a connection that breaks after the end loses nothing', async () => {
    const pieces = [...parts, { pauseMs: 20 }];
    await using server = await modelServer(cut(pieces, pieces.length, 'reset'));
    expect(replyOf((await callGemini(server.url)).outcome)).toMatchObject({ stop: 'end_turn' });
  });
});
