/** Unusable content in a model server's reply: the reply is still kept and paid for, and the content does no harm. */

import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../shared/agent/session/reply.ts';
import { anthropicProvider } from '../../../shared/models/anthropic/provider.ts';
import { callModel, callOpenai, modelRequest, replyOf } from '../../support/model-call.ts';
import {
  block,
  message,
  messageDelta,
  messageStart,
  messageStop,
  toolUse,
} from '../../support/model-events.ts';
import { modelServer, type Piece, reply } from '../../support/model-server.ts';
import { calls, completion, delta, says } from '../../support/openai-events.ts';

const earlier = modelRequest({
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'clock', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'nine' }] },
  ],
});

type Options = Parameters<typeof callModel>[1];

async function messages(pieces: readonly Piece[], options?: Options): Promise<Reply> {
  await using server = await modelServer(reply(pieces));
  return replyOf((await callModel(server.url, options)).outcome);
}

async function chat(pieces: readonly Piece[], options?: Parameters<typeof callOpenai>[1]): Promise<Reply> {
  await using server = await modelServer(reply(pieces));
  return replyOf((await callOpenai(server.url, options)).outcome);
}

const LEVELS = 50_000;
const deepText = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const deepJson = `{"city":${deepText}}`;
/** An event with a value that no `JSON.stringify` could write. */
const withDeep = (event: object): string => JSON.stringify(event).replace('"DEEP"', deepJson);
const dataOf = (event: { type?: unknown }) => `event: ${event.type}\ndata: ${withDeep(event)}\n\n`;

describe('arguments that are nested too deeply to process', () => {
  const inline = (start: object): Piece[] =>
    message([block(start as { type: string })], 'tool_use').map((event) => dataOf(event));
  const call = { id: 'call_1', name: 'clock' };

  test.each<[string, () => Promise<Reply>]>([
    ['Messages API, as text', () => messages(message([toolUse('call_1', 'clock', deepJson)], 'tool_use'))],
    [
      'Messages API, whole at the start',
      () => messages(inline({ type: 'tool_use', ...call, input: 'DEEP' })),
    ],
    [
      'Chat Completions, as text',
      () => chat(completion(calls(0, 'call_1', 'clock', deepJson), 'tool_calls')),
    ],
    [
      'Chat Completions, as an object',
      () => {
        const piece = {
          tool_calls: [{ index: 0, id: 'call_1', function: { name: 'clock', arguments: 'DEEP' } }],
        };
        return chat(completion([delta(piece).replace('"DEEP"', deepJson)], 'tool_calls'));
      },
    ],
  ])('%s: they are text that fails every schema; the reply is kept and paid for', async (_name, ask) => {
    const { calls, content, usage } = await ask();
    expect(calls).toMatchObject([{ ...call, input: expect.any(String) }]);
    expect(content).toMatchObject([{ ...call, input: { INVALID_JSON: expect.any(String) } }]);
    expect(usage).toMatchObject({ input: 10, output: 5 });
    expect(JSON.stringify({ calls, content })).toContain('INVALID_JSON');
  });

  test.each([
    ['an object', deepJson],
    ['a string of JSON', JSON.stringify(deepJson)],
  ])('a call in content whose arguments are %s is malformed', async (_name, args) => {
    const written = `<tool_call>{"name":"clock","arguments":${args}}</tool_call>`;
    const { calls, malformed } = await chat(completion(says(written)), { calls: 'xml' });
    expect(calls).toEqual([]);
    expect(malformed).toContain('nested');
  });

  test('a block of another kind is left out', async () => {
    const events = [
      block({ type: 'text', text: 'Nine.' }),
      block({ type: 'server_tool_use', input: 'DEEP' }),
    ];
    const { content } = await messages(message(events).map((event) => dataOf(event)));
    expect(content).toEqual([{ type: 'text', text: 'Nine.' }]);
  });

  test('nesting in user messages is unchanged', async () => {
    const levels = 60;
    const json = `{"tree":${'{"child":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    const kept = await messages(message([toolUse('call_1', 'plant', json)], 'tool_use'));
    expect(kept.calls).toEqual([{ id: 'call_1', name: 'plant', input: JSON.parse(json) }]);
  });
});

describe('call ids', () => {
  const odd = [
    '../../../other#session/x',
    'call_0',
    '',
    'functions.clock:0',
    'x'.repeat(3000),
    'é',
    'fine',
    'fine',
    '__proto__',
  ];
  const ask = {
    'Messages API': (request = earlier) =>
      messages(
        message(
          odd.map((id) => toolUse(id, 'clock')),
          'tool_use',
        ),
        { request },
      ),
    'Chat Completions': (request = earlier) =>
      chat(
        completion(
          odd.flatMap((id, index) => calls(index, id, 'clock', '{}')),
          'tool_calls',
        ),
        { request },
      ),
  };

  test.each(Object.entries(ask))(
    '%s: each has only letters, digits, - and _, and is unique in the conversation',
    async (_name, reply) => {
      const { calls, content } = await reply();
      const ids = calls.map(({ id }) => id);
      for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(new Set([...ids, 'call_0']).size).toBe(odd.length + 1);
      expect(ids[6]).toBe('fine');
      expect(ids).not.toContain('__proto__');
      expect(content.map(({ id }) => id)).toEqual(ids);
    },
  );

  test.each(Object.entries(ask))(
    '%s: the same reply in the same place has the same ids, and in another place others',
    async (_name, reply) => {
      const idsOf = ({ calls }: Reply) => calls.map(({ id }) => id);
      const first = idsOf(await reply());
      expect(idsOf(await reply())).toEqual(first);
      const longer = modelRequest({ messages: [...earlier.messages, ...modelRequest().messages] });
      expect(idsOf(await reply(longer))).not.toEqual(first);
    },
  );
});

test.each([
  ['Messages API', (name: string) => messages(message([toolUse('call_1', name)], 'tool_use'))],
  ['Chat Completions', (name: string) => chat(completion(calls(0, 'call_1', name, '{}'), 'tool_calls'))],
] as const)(
  '%s: a name that no server accepts back is converted to the allowed characters',
  async (_name, ask) => {
    for (const [given, kept] of [
      ['functions.clock', 'functions_clock'],
      ['', 'unnamed'],
      ['x'.repeat(100), 'x'.repeat(64)],
      ['clock', 'clock'],
    ] as const) {
      const { calls, content } = await ask(given);
      expect([calls[0]?.name, content[0]?.name]).toEqual([kept, kept]);
    }
  },
);

describe('usage that is not a number of tokens counts as missing, and is logged', () => {
  const odd = [-5, 1e300, 1.5, '7', 1e12, true, {}];

  test.each(odd)('Messages API: %j', async (count) => {
    const lines: unknown[] = [];
    const usage = { input_tokens: count, output_tokens: 1, cache_read_input_tokens: count } as never;
    const events = [
      messageStart(usage),
      messageDelta('end_turn', { output_tokens: count } as never),
      messageStop,
    ];
    const kept = await messages(events, { log: (...line: unknown[]) => lines.push(line) });
    expect(kept).toMatchObject({
      usage: { input: 24, output: 1, cacheRead: 0, cacheWrite: 0 },
      estimated: true,
    });
    expect(JSON.stringify(lines)).toContain('input_tokens, cache_read_input_tokens, output_tokens');
    expect(lines).toHaveLength(1);
  });

  test.each(odd)('Chat Completions: %j', async (count) => {
    const lines: unknown[] = [];
    const usage = {
      prompt_tokens: 10,
      completion_tokens: count,
      prompt_tokens_details: { cached_tokens: count },
    };
    const kept = await chat(completion(says('So.'), 'stop', usage), {
      log: (...line: unknown[]) => lines.push(line),
    });
    expect(kept).toMatchObject({
      usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 },
      estimated: true,
    });
    expect(JSON.stringify(lines)).toContain('completion_tokens, cached_tokens');
  });

  test('A9: a reply without usage is estimated, and that is logged', async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const events = [messageStart({}), messageDelta('end_turn', {}), messageStop];
    await messages(events, { log });
    await chat([...says('So.'), ...completion([]).slice(0, 1)], { log });
    expect(lines).toEqual(Array(2).fill(expect.stringContaining('told no usage')));
    await messages(message([]), { log });
    // After a stream that ended early it is unknown whether its usage would have come.
    await messages([messageStart({}), ...message([toolUse('t1', 'clock', '{"a')]).slice(2, 4)], { log });
    expect(lines).toHaveLength(2);
  });

  test('A9: it is logged once for each model', async () => {
    const lines: string[] = [];
    await using server = await modelServer(
      ...Array.from({ length: 3 }, () =>
        reply([messageStart({}), messageDelta('end_turn', {}), messageStop]),
      ),
    );
    const provider = anthropicProvider({
      baseUrl: server.url,
      auth: 'bearer',
      key: async () => 'k',
      log: (line) => lines.push(line),
    });
    for (const model of ['one', 'one', 'two'])
      await provider.complete(modelRequest({ model }), () => {}, new AbortController().signal);
    expect(lines).toHaveLength(2);
  });
});
