/** Streams and errors of servers that only resemble an API, from public reports of 2025 and 2026. */

import { describe, expect, test } from 'vitest';
import type { Failure, Reply } from '../../../shared/agent/session/reply.ts';
import { callModel, callOpenai, replyOf } from '../../support/model-call.ts';
import {
  blockEvents,
  message,
  messageDelta,
  messageStart,
  messageStop,
  text,
  thinking,
  toolUse,
} from '../../support/model-events.ts';
import { garbage, modelServer, type Piece, reply, type Step, status } from '../../support/model-server.ts';
import {
  calls,
  completion,
  delta,
  done,
  finish,
  says,
  usageChunk,
  wire,
} from '../../support/openai-events.ts';

type Call = typeof callModel | typeof callOpenai;

async function read(call: Call, pieces: readonly Piece[]): Promise<Reply> {
  await using server = await modelServer(reply(pieces));
  return replyOf((await call(server.url)).outcome);
}

async function failed(call: Call, step: Step): Promise<Failure> {
  await using server = await modelServer(step);
  const { outcome } = await call(server.url);
  if (outcome.kind !== 'failed') throw new Error('the call succeeded');
  return outcome.failure;
}

describe('blocks of the Messages API', () => {
  const blocks = [thinking('sig', 'Hm.'), text('Nine.'), toolUse('toolu_1', 'clock', '{"city":"Lisbon"}')];

  test.each([
    ['all numbered 0', () => 0],
    ['without a number', () => undefined],
    ['numbered with text', (at: number) => String(at)],
  ])('%s are all kept', async (_what, numberOf) => {
    const events = blocks.flatMap((block, at) => blockEvents(block, numberOf(at) as number));
    const { content } = await read(callModel, [
      messageStart(),
      ...events,
      messageDelta('tool_use'),
      messageStop,
    ]);
    expect(content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'Nine.' },
      { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } },
    ]);
  });

  test('a call whose input comes as an object in its delta has that input', async () => {
    const block = toolUse('toolu_1', 'clock', { city: 'Lisbon' } as never);
    const { calls } = await read(callModel, message([block], 'tool_use'));
    expect(calls).toEqual([{ id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } }]);
  });
});

describe('counts that are told before stay if 0 follows', () => {
  const start = messageStart({ input_tokens: 1_000, cache_read_input_tokens: 300, output_tokens: 1 });
  const body = blockEvents(text('Nine.'), 0);

  test.each<[string, readonly Piece[]]>([
    [
      'in the last event (envoyproxy/ai-gateway#1631)',
      [messageDelta('end_turn', { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7 })],
    ],
    [
      'in a second start of the message',
      [
        messageStart({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }),
        messageDelta('end_turn', { output_tokens: 7 }),
      ],
    ],
    [
      'after the last event',
      [messageDelta('end_turn', { output_tokens: 7 }), messageDelta(null, { output_tokens: 0 })],
    ],
  ])('Messages API: %s', async (_what, ends) => {
    const { usage, estimated } = await read(callModel, [start, ...body, ...ends, messageStop]);
    expect([usage, estimated]).toEqual([
      { input: 1_000, output: 7, cacheRead: 300, cacheWrite: 0 },
      undefined,
    ]);
  });

  test.each<[string, readonly Piece[]]>([
    ['zeros', [usageChunk({ prompt_tokens: 0, completion_tokens: 0 })]],
    ['nothing', [usageChunk({})]],
    ['null', [usageChunk({ prompt_tokens: null, completion_tokens: null })]],
  ])('Chat Completions: %s', async (_what, ends) => {
    const counts = usageChunk({ prompt_tokens: 1_000, completion_tokens: 7 });
    const { usage, estimated } = await read(callOpenai, [
      ...says('Nine.'),
      finish('stop'),
      counts,
      ...ends,
      done,
    ]);
    expect([usage, estimated]).toEqual([{ input: 1_000, output: 7, cacheRead: 0, cacheWrite: 0 }, undefined]);
  });

  test('zeros before the counts do not count (router-for-me/CLIProxyAPI#4053)', async () => {
    const zeros = usageChunk({ prompt_tokens: 0, completion_tokens: 0 });
    const { usage } = await read(callOpenai, [zeros, ...completion(says('Nine.'))]);
    expect(usage).toMatchObject({ input: 10, output: 5 });
  });
});

test('Moonshot puts the usage into the last choice (earendil-works/pi#2017)', async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 300 } };
  const kept = await read(callOpenai, [...says('Nine.'), delta({}, { finish_reason: 'stop', usage }), done]);
  expect([kept.usage, kept.estimated]).toEqual([
    { input: 700, output: 7, cacheRead: 300, cacheWrite: 0 },
    undefined,
  ]);
});

describe('a completion', () => {
  test.each<[string, readonly Piece[]]>([
    [
      'with an empty finish reason in each chunk',
      [delta({ content: 'Ni' }, { finish_reason: '' }), ...says('ne.'), finish('stop')],
    ],
    [
      'with the finish reason "null"',
      [delta({ content: 'Ni' }, { finish_reason: 'null' }), ...says('ne.'), finish('stop')],
    ],
    [
      'with a finish reason in each chunk',
      [
        delta({ content: 'Ni' }, { finish_reason: 'stop' }),
        delta({ content: 'ne.' }, { finish_reason: 'stop' }),
      ],
    ],
    [
      'with choices and deltas that are null',
      [wire({ choices: null }), wire({ choices: [{ delta: null }] }), ...says('Nine.'), finish('stop')],
    ],
    [
      'with two blanks before its end (Nano-Collective/nanocoder#614)',
      [...says('Nine.'), finish('stop'), 'data:  [DONE]\n\n'],
    ],
    [
      'with an error that is empty',
      [wire({ error: {}, choices: [{ delta: { content: 'Nine.' } }] }), finish('stop')],
    ],
    ['after a byte order mark', ['\ufeff', ...says('Nine.'), finish('stop')]],
  ])('%s is read', async (_what, pieces) => {
    expect(await read(callOpenai, pieces)).toMatchObject({
      stop: 'end_turn',
      content: [{ type: 'text', text: 'Nine.' }],
    });
  });

  test('arguments that begin with an empty object are one call (openai/openai-agents-js#712)', async () => {
    const kept = await read(
      callOpenai,
      completion(calls(0, 'call_1', 'clock', '{}', '{"city":', '"Lisbon"}'), 'tool_calls'),
    );
    expect(kept.calls).toEqual([{ id: 'call_1', name: 'clock', input: { city: 'Lisbon' } }]);
  });
});

describe('an error with status 200 keeps its words and its meaning', () => {
  const inStream = (...pieces: string[]) => reply(pieces);
  const whole = (body: object) => garbage(JSON.stringify(body), 'application/json');
  const broke = { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } };

  test.each<[string, Call, Step, Partial<Failure>]>([
    [
      'in a field of its own (coddy-project/coddy-agent#106)',
      callOpenai,
      inStream(
        'error: {"code":400,"message":"the request exceeds the available context size","type":"invalid_request_error"}\n\n',
        done,
      ),
      { kind: 'too_long' },
    ],
    [
      'as an object of its own',
      callOpenai,
      inStream(wire({ object: 'error', message: 'This model is overloaded', code: 503 })),
      { kind: 'retry', message: expect.stringContaining('503 http_503: This model is overloaded') },
    ],
    [
      'with a text as its status',
      callOpenai,
      inStream(wire({ error: { code: '429', message: 'slow down' } })),
      { kind: 'retry', rateLimited: true },
    ],
    ['of MiniMax in a stream', callOpenai, inStream(wire({ choices: null, ...broke })), { kind: 'account' }],
    ['of MiniMax in one piece', callOpenai, whole(broke), { kind: 'account' }],
    [
      'as code and words',
      callOpenai,
      whole({ code: 1302, msg: 'Too busy', success: false }),
      { kind: 'retry', message: expect.stringContaining('Too busy') },
    ],
    [
      'as details',
      callOpenai,
      whole({ detail: 'Not ready' }),
      { kind: 'retry', message: expect.stringContaining('Not ready') },
    ],
    [
      'as code and words',
      callModel,
      whole({ code: 1302, msg: 'Too busy', success: false }),
      { kind: 'retry', message: expect.stringContaining('Too busy') },
    ],
    [
      'without a type',
      callModel,
      inStream('data: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'),
      { kind: 'retry', code: 'overloaded_error' },
    ],
    [
      'with a text as its error',
      callModel,
      inStream('event: error\ndata: {"type":"error","error":"upstream is down"}\n\n'),
      { kind: 'retry', message: expect.stringContaining('upstream is down') },
    ],
    [
      'as text',
      callModel,
      inStream('event: error\ndata: upstream is down\n\n'),
      { kind: 'retry', message: expect.stringContaining('upstream is down') },
    ],
  ])('%s', async (_what, call, step, failure) => {
    expect(await failed(call, step)).toMatchObject(failure);
  });
});

test.each<[string, Call, Step]>([
  [
    'a 429 of Zhipu (continuedev/continue#11823)',
    callOpenai,
    status(429, {}, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }),
  ],
  [
    'a 429 of Zhipu (gabrielkoerich/orch#3150)',
    callModel,
    status(
      429,
      {},
      {
        error: {
          type: 'rate_limit_error',
          message: 'Insufficient balance or no resource package. Please recharge.',
        },
      },
    ),
  ],
  [
    'a 500 of MiniMax (MiniMax-AI/MiniMax-M2#62)',
    callModel,
    status(500, {}, { type: 'error', error: { type: 'api_error', message: 'insufficient balance (1008)' } }),
  ],
  [
    'a 429 of MiniMax (modelscope/modelscope#1691)',
    callOpenai,
    status(
      429,
      {},
      {
        error: {
          http_code: '429',
          message: 'insufficient balance (1008)',
          type: 'insufficient_balance_error',
        },
      },
    ),
  ],
  [
    'a 400',
    callOpenai,
    status(400, {}, { error: { message: 'Insufficient Balance', code: 'invalid_request_error' } }),
  ],
])('an account without money is not asked again: %s', async (_what, call, step) => {
  expect(await failed(call, step)).toMatchObject({ kind: 'account' });
});

describe('a call that Groq could not read (pydantic/pydantic-ai#4354)', () => {
  const error = {
    message:
      "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    type: 'invalid_request_error',
    code: 'tool_use_failed',
    failed_generation: '<function=clock{"city": "Lisbon"}</function>',
  };

  test.each<[string, Step]>([
    ['in place of the reply', status(400, {}, { error })],
    ['in the stream', reply([...says('Let me see.'), wire({ error: { ...error, status_code: 400 } }), done])],
  ])('%s is a malformed call of the model, not a refused request', async (_where, step) => {
    await using server = await modelServer(step);
    const kept = replyOf((await callOpenai(server.url)).outcome);
    expect(kept).toMatchObject({
      stop: 'tool_use',
      calls: [],
      malformed: error.failed_generation,
      estimated: true,
    });
  });
});
