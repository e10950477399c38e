import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../shared/agent/session/reply.ts';
import { callModel, replyOf } from '../../support/model-call.ts';
import {
  block,
  blockEvents,
  message,
  messageDelta,
  messageStart,
  messageStop,
  openBlock,
  text,
  thinking,
  toolUse,
} from '../../support/model-events.ts';
import { modelServer, type Piece, reply, sse } from '../../support/model-server.ts';

async function streamed(pieces: readonly Piece[]) {
  await using server = await modelServer(reply(pieces));
  const { outcome, deltas } = await callModel(server.url);
  return { reply: replyOf(outcome), deltas };
}

const replyTo = async (pieces: readonly Piece[]): Promise<Reply> => (await streamed(pieces)).reply;

describe('content', () => {
  test('text is streamed as it arrives and kept as one block', async () => {
    const { reply, deltas } = await streamed(message([text('Half ', 'past', ' nine')]));
    expect(reply).toEqual({
      model: 'claude-test-1',
      stop: 'end_turn',
      content: [{ type: 'text', text: 'Half past nine' }],
      calls: [],
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    });
    expect(deltas).toEqual([
      { kind: 'text', text: 'Half ' },
      { kind: 'text', text: 'past' },
      { kind: 'text', text: ' nine' },
    ]);
  });

  test('text in the start of a block is streamed and kept', async () => {
    const { reply, deltas } = await streamed(
      message([block({ type: 'text', text: 'Half ' }, { type: 'text_delta', text: 'past' })]),
    );
    expect(reply.content).toEqual([{ type: 'text', text: 'Half past' }]);
    expect(deltas.map((delta) => delta.text)).toEqual(['Half ', 'past']);
  });

  test('a character that is split between two packets arrives whole', async () => {
    const bytes = message([text('naïve 🕘 ', 'Привет')]).flatMap((event) => [...Buffer.from(sse(event))]);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) =>
      Uint8Array.from(bytes.slice(n * 7, n * 7 + 7)),
    );
    expect((await replyTo(pieces)).content).toEqual([{ type: 'text', text: 'naïve 🕘 Привет' }]);
  });

  test('thinking keeps its signature, is streamed, and is empty when the model shows none', async () => {
    const { reply, deltas } = await streamed(
      message([thinking('sig1', 'Lisbon', ' is WET'), thinking('sig2'), text('Nine.')]),
    );
    expect(reply.content).toEqual([
      { type: 'thinking', thinking: 'Lisbon is WET', signature: 'sig1' },
      { type: 'thinking', thinking: '', signature: 'sig2' },
      { type: 'text', text: 'Nine.' },
    ]);
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Lisbon' },
      { kind: 'thinking', text: ' is WET' },
      { kind: 'text', text: 'Nine.' },
    ]);
  });

  test('redacted thinking and unknown kinds of block are kept as they came', async () => {
    const blocks = [
      { type: 'redacted_thinking', data: 'EqRo==' },
      { type: 'hologram', frames: [1, { deep: null }], input: { x: 1 } },
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
    ];
    const [redacted, hologram, search] = blocks.map((start) => block(start));
    const searching = { ...search, deltas: [{ type: 'input_json_delta', partial_json: '{"query":"time"}' }] };
    const reply = await replyTo(
      message([redacted, hologram, searching].map((script) => script as ReturnType<typeof block>)),
    );
    expect(reply.content).toEqual([blocks[0], blocks[1], { ...blocks[2], input: { query: 'time' } }]);
    expect(reply.calls).toEqual([]);
  });

  test('citations are collected on their text', async () => {
    const one = { type: 'char_location', cited_text: 'nine', document_index: 0 };
    const two = { type: 'char_location', cited_text: 'ten', document_index: 1 };
    const reply = await replyTo(
      message([
        block(
          { type: 'text', text: '', citations: null },
          { type: 'citations_delta', citation: one },
          { type: 'text_delta', text: 'Nine or ten.' },
          { type: 'citations_delta', citation: two },
        ),
      ]),
    );
    expect(reply.content).toEqual([{ type: 'text', text: 'Nine or ten.', citations: [one, two] }]);
  });

  test('a delta of an unknown kind is merged into its block, which is sent back as it came', async () => {
    const started = { type: 'compaction', content: null, parts: [1], note: 'a' };
    const blocks = [
      block(
        started,
        { type: 'compaction_delta', content: 'All that was said.', encrypted_content: 'x' },
        { type: 'later_delta', parts: [2], note: 'b' },
      ),
      text('Nine'),
    ];
    expect((await replyTo(message(blocks))).content).toEqual([
      {
        type: 'compaction',
        content: 'All that was said.',
        encrypted_content: 'x',
        parts: [1, 2],
        note: 'ab',
      },
      { type: 'text', text: 'Nine' },
    ]);
  });

  test('unknown events, deltas without a block, comments and end markers of other protocols change nothing', async () => {
    const reply = await replyTo([
      ': a comment\n\n',
      messageStart(),
      { type: 'weather', sunny: true },
      'event: weather\ndata: not json\n\n',
      ...openBlock(text('Nine'), 0),
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'of no block' } },
      { type: 'content_block_stop', index: 7 },
      { type: 'content_block_stop', index: 0 },
      messageDelta('end_turn'),
      messageStop,
      'data: [DONE]\n\n',
    ]);
    expect(reply.content).toEqual([{ type: 'text', text: 'Nine' }]);
  });

  test('a server that does not name its events still works', async () => {
    const pieces = message([text('Nine')]).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    expect((await replyTo(pieces)).content).toEqual([{ type: 'text', text: 'Nine' }]);
  });

  test('an empty reply is a valid reply', async () => {
    expect(await replyTo(message([]))).toMatchObject({ stop: 'end_turn', content: [], calls: [] });
  });

  test('blocks that were never stopped are dropped, except for their text', async () => {
    const reply = await replyTo([
      messageStart(),
      ...blockEvents(text('Whole.'), 0),
      ...openBlock(thinking('sig', 'cut'), 1),
      ...openBlock(toolUse('toolu_1', 'clock', '{"city":"Lisbon"}'), 2),
      ...openBlock(text('Cut'), 3),
      ...openBlock(text(), 4),
      messageDelta('max_tokens'),
      messageStop,
    ]);
    expect(reply.content).toEqual([
      { type: 'text', text: 'Whole.' },
      { type: 'text', text: 'Cut' },
    ]);
    expect(reply.calls).toEqual([]);
  });
});

describe('tool calls', () => {
  test('two calls, one with input in pieces and one without input', async () => {
    const reply = await replyTo(
      message(
        [
          text('Looking.'),
          toolUse('toolu_1', 'clock', '{"ci', 'ty":"Lis', 'bon"}'),
          toolUse('toolu_2', 'now'),
        ],
        'tool_use',
      ),
    );
    expect(reply.stop).toBe('tool_use');
    expect(reply.content.slice(1)).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } },
      { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
    ]);
    expect(reply.calls).toEqual([
      { id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } },
      { id: 'toolu_2', name: 'now', input: {} },
    ]);
  });

  test('input that a server sends whole at the start is the input', async () => {
    const start = { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } };
    const reply = await replyTo(message([block(start)], 'tool_use'));
    expect(reply.content).toEqual([start]);
    expect(reply.calls).toEqual([{ id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } }]);
  });

  test.each([
    ['broken JSON', '{"city": Lisbon', '{"city": Lisbon'],
    ['JSON of another type', '["Lisbon"]', ['Lisbon']],
  ])(
    '%s fails at the schema check, and goes back to the model wrapped in an object',
    async (_name, json, input) => {
      const reply = await replyTo(message([toolUse('toolu_1', 'clock', json)], 'tool_use'));
      expect(reply.calls).toEqual([{ id: 'toolu_1', name: 'clock', input }]);
      expect(reply.content).toEqual([
        { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { INVALID_JSON: json } },
      ]);
    },
  );

  test('A7/T18: input that max_tokens cut is no call, even if the server stops its block', async () => {
    const reply = await replyTo(
      message([text('Looking.'), toolUse('toolu_1', 'clock', '{"city":"Li')], 'max_tokens'),
    );
    expect(reply).toMatchObject({
      stop: 'max_tokens',
      content: [{ type: 'text', text: 'Looking.' }],
      calls: [],
    });
  });

  test('A7: a missing or repeated id is generated once, and is the same in block and call', async () => {
    const reply = await replyTo(
      message(
        [toolUse(undefined, 'a'), toolUse('', 'b'), toolUse('call_0', 'c'), toolUse('call_0', 'd')],
        'tool_use',
      ),
    );
    const ids = reply.calls.map((call) => call.id);
    expect(new Set(ids).size).toBe(4);
    expect(ids[2]).toBe('call_0');
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(reply.content.map(({ id }) => id)).toEqual(ids);
  });
});
