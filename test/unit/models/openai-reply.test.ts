import { describe, expect, test } from 'vitest';
import { admissible } from '../../../shared/agent/step/model/admissible.ts';
import { callOpenai, modelRequest, type OpenaiCallOptions, replyOf } from '../../support/model-call.ts';
import { modelServer, type Piece, reply } from '../../support/model-server.ts';
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

async function streamed(pieces: readonly Piece[], options: OpenaiCallOptions = {}) {
  await using server = await modelServer(reply(pieces));
  const { outcome, deltas } = await callOpenai(server.url, options);
  return { reply: replyOf(outcome), deltas, request: server.requests[0] };
}

const replyTo = async (pieces: readonly Piece[], options?: OpenaiCallOptions) =>
  (await streamed(pieces, options)).reply;

const CLOCK = '{"name":"clock","arguments":{"city":"Lisbon"}}';
const xml = { calls: 'xml' } as const;

describe('content', () => {
  test('text is streamed as it arrives and kept as one block', async () => {
    const { reply, deltas, request } = await streamed(completion(says('Half ', 'past', ' nine')));
    expect(reply).toEqual({
      model: 'gpt-test-1',
      stop: 'end_turn',
      content: [{ type: 'text', text: 'Half past nine' }],
      calls: [],
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    });
    expect(deltas.map(({ text }) => text)).toEqual(['Half ', 'past', ' nine']);
    expect([request?.method, request?.path]).toEqual(['POST', '/chat/completions']);
    expect(request?.headers).toMatchObject({ authorization: expect.stringMatching(/^Bearer sk-test/) });
  });

  test('a stream of one chunk with the whole message is read, and the same after its pieces adds nothing', async () => {
    const whole = wire({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Nine.' }, finish_reason: 'stop' }],
    });
    expect((await replyTo([whole, done])).content).toEqual([{ type: 'text', text: 'Nine.' }]);
    expect((await replyTo([...says('Ni', 'ne.'), whole, done])).content).toEqual([
      { type: 'text', text: 'Nine.' },
    ]);
  });

  test.each(['reasoning_content', 'reasoning'])(
    '%s is thinking, streamed and kept separately',
    async (field) => {
      const { reply, deltas } = await streamed(
        completion([delta({ [field]: 'Lisbon' }), delta({ [field]: ' is WET' }), ...says('Nine.')]),
      );
      expect(reply.content).toEqual([
        { type: 'thinking', thinking: 'Lisbon is WET', _given: { as: field } },
        { type: 'text', text: 'Nine.' },
      ]);
      expect(deltas).toEqual([
        { kind: 'thinking', text: 'Lisbon' },
        { kind: 'thinking', text: ' is WET' },
        { kind: 'text', text: 'Nine.' },
      ]);
    },
  );

  test('a character that is split between two packets arrives whole; comments and unknown chunks change nothing', async () => {
    const bytes = [...Buffer.from(completion(says('naïve 🕘 ', 'Привет')).join(''))];
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) =>
      Uint8Array.from(bytes.slice(n * 7, n * 7 + 7)),
    );
    const odd = [
      ': OPENROUTER PROCESSING\n\n',
      wire({ object: 'weather' }),
      wire([1]),
      wire({ choices: [null] }),
    ];
    expect((await replyTo([...odd, ...pieces])).content).toEqual([{ type: 'text', text: 'naïve 🕘 Привет' }]);
  });

  test('an empty reply is a valid reply', async () => {
    expect(await replyTo(completion([]))).toMatchObject({ stop: 'end_turn', content: [], calls: [] });
  });
});

describe('finish reasons', () => {
  test.each([
    ['stop', 'end_turn', undefined],
    ['length', 'max_tokens', undefined],
    ['tool_calls', 'tool_use', undefined],
    ['function_call', 'tool_use', undefined],
    ['content_filter', 'refusal', 'content_filter'],
    ['weird', 'unknown', 'weird'],
  ])('A7, A14: %s is %s', async (reason, stop, stopDetail) => {
    const reply = await replyTo(completion(says('So.'), reason));
    expect([reply.stop, reply.stopDetail]).toEqual([stop, stopDetail]);
  });

  test('a refusal is recognized, whatever the stop reason says', async () => {
    expect(await replyTo(completion([delta({ refusal: 'I cannot.' })]))).toMatchObject({
      stop: 'refusal',
      stopDetail: 'I cannot.',
    });
  });

  test('A9: a reply counts once the stop reason has come: without [DONE], and without usage, which is estimated', async () => {
    expect(await replyTo([...says('So.'), finish('stop')])).toMatchObject({
      stop: 'end_turn',
      usage: { input: 24, output: 1 },
      estimated: true,
    });
  });
});

describe('usage', () => {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  test.each([
    [
      'A10: cached tokens are subtracted',
      { prompt_tokens: 900, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 800 } },
      { input: 100, output: 5, cacheRead: 800, cacheWrite: 0 },
    ],
    [
      'A10: DeepSeek uses other names',
      { prompt_tokens: 900, completion_tokens: 5, prompt_cache_hit_tokens: 640 },
      { input: 260, output: 5, cacheRead: 640, cacheWrite: 0 },
    ],
    [
      'more cached than sent is invalid',
      { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 800 } },
      { ...none, cacheRead: 9, output: 1 },
    ],
    [
      'invalid counts are ignored, and estimated',
      { prompt_tokens: 'many', completion_tokens: -1 },
      { ...none, input: 24, output: 1 },
    ],
    [
      'an unreported prompt, as it was cached, is estimated',
      { prompt_tokens: 0, completion_tokens: 7 },
      { ...none, input: 24, output: 7 },
    ],
  ])('%s', async (_name, usage, expected) => {
    expect((await replyTo(completion(says('So.'), 'stop', usage))).usage).toEqual(expected);
  });

  test('from servers that count in every chunk, the last count holds', async () => {
    const counted = (n: number) => usageChunk({ prompt_tokens: 10, completion_tokens: n });
    expect(
      (await replyTo([...says('a'), counted(1), ...says('b'), counted(2), finish('stop'), done])).usage,
    ).toEqual({ ...none, input: 10, output: 2 });
  });
});

describe('native calls', () => {
  test('two calls, one with arguments in pieces and one without', async () => {
    const pieces = [
      ...says('Looking.'),
      ...calls(0, 'call_a', 'clock', '{"ci', 'ty":"Lisbon"}'),
      ...calls(1, 'call_b', 'now'),
    ];
    const reply = await replyTo(completion(pieces, 'tool_calls'));
    expect(reply.stop).toBe('tool_use');
    expect(reply.content).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'call_a', name: 'clock', input: { city: 'Lisbon' } },
      { type: 'tool_use', id: 'call_b', name: 'now', input: {} },
    ]);
    expect(reply.calls).toEqual([
      { id: 'call_a', name: 'clock', input: { city: 'Lisbon' } },
      { id: 'call_b', name: 'now', input: {} },
    ]);
  });

  test.each<[string, string[]]>([
    [
      'whole calls, all under index 0',
      [...calls(0, 'a', 'clock', '{"n":1}'), ...calls(0, 'b', 'clock', '{"n":2}')],
    ],
    [
      'calls without index',
      [
        delta({ tool_calls: [{ id: 'a', function: { name: 'clock', arguments: '{"n":1}' } }] }),
        delta({ tool_calls: [{ id: 'b', function: { name: 'clock', arguments: { n: 2 } } }] }),
      ],
    ],
    [
      'an id that is repeated with each piece',
      ['a', 'b'].flatMap((id, index) =>
        ['{"n":', `${index + 1}}`].map((json) =>
          delta({ tool_calls: [{ index, id, function: { name: 'clock', arguments: json } }] }),
        ),
      ),
    ],
  ])('from servers that only resemble OpenAI’s: %s', async (_name, pieces) => {
    expect((await replyTo(completion(pieces, 'stop'))).calls).toEqual([
      { id: 'a', name: 'clock', input: { n: 1 } },
      { id: 'b', name: 'clock', input: { n: 2 } },
    ]);
  });

  test('the older form of one call', async () => {
    const pieces = [
      delta({ function_call: { name: 'clock', arguments: '{"n":' } }),
      delta({ function_call: { arguments: '1}' } }),
    ];
    expect((await replyTo(completion(pieces, 'function_call'))).calls).toMatchObject([
      { name: 'clock', input: { n: 1 } },
    ]);
  });

  test('A7: ids that are missing, repeated or invalid for other servers are generated once', async () => {
    const request = modelRequest({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'clock', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'nine' }] },
      ],
    });
    const given = ['call_0', undefined, 'functions.clock:0', 'x'.repeat(41), 'fine', 'fine'];
    const pieces = given.flatMap((id, index) => calls(index, id, 'clock', '{}'));
    const reply = await replyTo(completion(pieces, 'tool_calls'), { request });
    const ids = reply.calls.map(({ id }) => id);
    expect(new Set([...ids, 'call_0']).size).toBe(7);
    expect(ids[4]).toBe('fine');
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    expect(reply.content.map(({ id }) => id)).toEqual(ids);
  });

  test('JSON of the wrong kind fails at the schema check, and goes back to the model wrapped in an object', async () => {
    const reply = await replyTo(completion([...calls(0, 'a', 'clock', "{'city': 'Lisbon'}")], 'tool_calls'));
    expect(reply.calls).toEqual([{ id: 'a', name: 'clock', input: "{'city': 'Lisbon'}" }]);
    expect(reply.content).toMatchObject([{ input: { INVALID_JSON: "{'city': 'Lisbon'}" } }]);
  });

  test.each(['length', 'tool_calls', 'stop'])(
    'A19, T18: arguments that were cut are a truncation, although the reason is %s',
    async (reason) => {
      const pieces = [
        ...says('Looking.'),
        ...calls(0, 'a', 'clock', '{"n":1}'),
        ...calls(1, 'b', 'clock', '{"city":"Li'),
      ];
      const reply = await replyTo(completion(pieces, reason));
      expect(reply.stop).toBe('max_tokens');
      // H12: all native calls are dropped.
      expect(admissible(reply)).toMatchObject({ calls: [], content: [{ type: 'text', text: 'Looking.' }] });
    },
  );
});

describe('H12: calls in content', () => {
  test('are calls, with the prose around them streamed and kept', async () => {
    const { reply, deltas } = await streamed(
      completion(says('Let me look.\n<tool', `_call>${CLOCK}</tool_call>`, '\n')),
      xml,
    );
    expect(reply).toMatchObject({ stop: 'end_turn', calls: [{ name: 'clock', input: { city: 'Lisbon' } }] });
    expect(reply.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'clock' },
    ]);
    expect(deltas.map(({ text }) => text).join('')).toBe('Let me look.');
    expect(admissible(reply).calls).toEqual(reply.calls);
  });

  test('in a reply that was cut, complete blocks run and the tail is dropped', async () => {
    const reply = await replyTo(
      completion(says(`<tool_call>${CLOCK}</tool_call><tool_call>{"name":"clo`), 'length'),
      xml,
    );
    expect(reply).toMatchObject({
      stop: 'max_tokens',
      callsComplete: true,
      cutCalls: true,
      calls: [{ name: 'clock' }],
    });
    expect(reply.malformed).toBeUndefined();
    expect(admissible(reply).calls).toHaveLength(1);
  });

  test('H19: an invalid block is reported, and the others run', async () => {
    const reply = await replyTo(
      completion(says(`<tool_call>{clock}</tool_call><tool_call>${CLOCK}</tool_call>`)),
      xml,
    );
    expect(reply).toMatchObject({
      calls: [{ name: 'clock' }],
      malformed: '<tool_call>{clock} (it is not a JSON object)',
    });
  });

  test('native calls of a server that supports them anyway are calls too', async () => {
    const reply = await replyTo(completion(calls(0, 'a', 'clock', '{"n":1}'), 'tool_calls'), xml);
    expect(reply.calls).toEqual([{ id: 'a', name: 'clock', input: { n: 1 } }]);
  });

  test('a model with native calls may write the tags', async () => {
    const reply = await replyTo(completion(says(`Write <tool_call>${CLOCK}</tool_call>.`)));
    expect(reply).toMatchObject({ calls: [], content: [{ text: `Write <tool_call>${CLOCK}</tool_call>.` }] });
  });
});
