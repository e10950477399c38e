import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../shared/agent/session/reply.ts';
import { callModel, failureOf, replyOf } from '../../support/model-call.ts';
import {
  blockEvents,
  message,
  messageDelta,
  messageStart,
  messageStop,
  openBlock,
  ping,
  text,
  toolUse,
} from '../../support/model-events.ts';
import { modelServer, type Piece, reply, sse } from '../../support/model-server.ts';

async function streamed(pieces: readonly Piece[]) {
  await using server = await modelServer(reply(pieces));
  const { outcome, deltas } = await callModel(server.url);
  return { reply: replyOf(outcome), deltas };
}

const replyTo = async (pieces: readonly Piece[]): Promise<Reply> => (await streamed(pieces)).reply;

describe('stop reasons', () => {
  test.each([
    ['end_turn', 'end_turn', undefined],
    ['stop_sequence', 'end_turn', undefined],
    ['tool_use', 'tool_use', undefined],
    ['max_tokens', 'max_tokens', undefined],
    ['model_context_window_exceeded', 'context_limit', undefined],
    ['pause_turn', 'pause_turn', undefined],
    ['refusal', 'refusal', undefined],
    ['compaction', 'unknown', 'compaction'],
    ['weird', 'unknown', 'weird'],
  ])('A7: %s is %s', async (reason, stop, stopDetail) => {
    const reply = await replyTo(message([text('So.')], reason));
    expect([reply.stop, reply.stopDetail]).toEqual([stop, stopDetail]);
  });

  test('a refusal in the middle of a text reports its category', async () => {
    const reply = await replyTo([
      messageStart(),
      ...openBlock(text('First, take'), 0),
      messageDelta('refusal', undefined, { stop_details: { type: 'refusal', category: 'bio' } }),
      messageStop,
    ]);
    expect(reply).toMatchObject({ stop: 'refusal', stopDetail: 'bio', content: [{ text: 'First, take' }] });
  });

  test.each([
    { what: 'left open', events: openBlock },
    { what: 'closed by the server', events: blockEvents },
  ])('T18: a call that was cut in its input and $what is dropped, and marked as cut', async ({ events }) => {
    const blocks = events(toolUse('t1', 'write', '{"text": "ha'), 0);
    const reply = await replyTo([messageStart(), ...blocks, messageDelta('max_tokens'), messageStop]);
    expect(reply).toMatchObject({ stop: 'max_tokens', content: [], calls: [], cutCalls: true });
  });

  test.each([
    ['the middle of its input', openBlock(toolUse('t1', 'write', '{"text": "ha'), 0)],
    ['its name', openBlock(toolUse('t1', 'write'), 0)],
    ['its beginning, which is lost', blockEvents(toolUse('t1', 'write', '{"text": "ha"}'), 0).slice(1)],
  ])(
    'T18: a call that is broken in %s counts as cut, also if the stop reason says tool_use',
    async (_where, events) => {
      for (const reason of ['tool_use', 'end_turn', 'weird']) {
        const reply = await replyTo([messageStart(), ...events, messageDelta(reason), messageStop]);
        expect(reply).toMatchObject({ stop: 'max_tokens', content: [], calls: [], cutCalls: true });
      }
    },
  );

  test('a call is complete when its input is, even if the server does not end its blocks', async () => {
    const call = openBlock(toolUse('t1', 'write', '{"text":"ha"}'), 0);
    const reply = await replyTo([messageStart(), ...call, messageDelta('tool_use'), messageStop]);
    expect(reply).toMatchObject({ stop: 'tool_use', calls: [{ name: 'write', input: { text: 'ha' } }] });
  });

  test('the last stop reason that is not null counts', async () => {
    const reply = await replyTo([
      messageStart(),
      messageDelta('max_tokens'),
      messageDelta(null),
      messageStop,
    ]);
    expect(reply.stop).toBe('max_tokens');
  });

  test('facts 0.4: message_stop without a reason is a broken stream', async () => {
    await using server = await modelServer(
      reply([messageStart(), ...blockEvents(text('So.'), 0), messageDelta(null), messageStop]),
    );
    const { outcome } = await callModel(server.url);
    expect(failureOf(outcome)).toMatchObject({ kind: 'retry', code: 'stream_broken' });
  });
});

describe('usage', () => {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

  test.each([
    [
      'cached tokens are counted separately',
      { input_tokens: 7, cache_read_input_tokens: 900, cache_creation_input_tokens: 40 },
      { output_tokens: 33 },
      { input: 7, output: 33, cacheRead: 900, cacheWrite: 40 },
    ],
    [
      'later counts replace earlier ones',
      { input_tokens: 7, output_tokens: 1 },
      { input_tokens: 9, output_tokens: 33, cache_read_input_tokens: 5 },
      { input: 9, output: 33, cacheRead: 5, cacheWrite: 0 },
    ],
    [
      'counts that the end omits stay',
      { input_tokens: 7, output_tokens: 4 },
      {},
      { ...none, input: 7, output: 4 },
    ],
    [
      'invalid counts are ignored, and estimated',
      { input_tokens: 'many', output_tokens: null },
      { output_tokens: -3, input_tokens: 1.9 },
      { ...none, input: 24 },
    ],
  ])('%s', async (_name, first, last, usage) => {
    const start = { type: 'message_start', message: { model: 'm', usage: first } };
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last };
    expect((await replyTo([start, end, messageStop])).usage).toEqual(usage);
  });

  test.each([
    ['no usage', {}],
    ['zeros', { usage: { input_tokens: 0, output_tokens: 0 } }],
  ])(
    'A9: the usage of a server that reports %s is estimated, at four characters a token',
    async (_what, told) => {
      const start = { type: 'message_start', message: { ...told } };
      const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...told };
      expect(
        await replyTo([start, ...blockEvents(text('Half past nine'), 0), end, messageStop]),
      ).toMatchObject({
        model: 'claude-test-1',
        usage: { ...none, input: 24, output: 4 },
        estimated: true,
      });
    },
  );

  test('A9: reported usage is not an estimate, also when the whole prompt was cached', async () => {
    const cached = messageStart({ input_tokens: 0, cache_read_input_tokens: 900 });
    const told = await replyTo([
      cached,
      ...blockEvents(text('So.'), 0),
      messageDelta('end_turn'),
      messageStop,
    ]);
    expect(told.usage).toEqual({ ...none, cacheRead: 900, output: 5 });
    expect(told).not.toHaveProperty('estimated');
  });

  test('the model of the reply is the one that answered', async () => {
    const start = { type: 'message_start', message: { model: 'other-model' } };
    expect((await replyTo([start, messageDelta('end_turn'), messageStop])).model).toBe('other-model');
  });
});

describe('after message_stop', () => {
  test.each([
    ['silence', () => undefined],
    ['pings', (response: ServerResponse) => response.write(sse(ping))],
  ])('a body that continues with %s for ever does not delay the reply', async (_name, goOn) => {
    await using server = await modelServer(async (response, left) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        message([text('Nine')])
          .map(sse)
          .join(''),
      );
      while (!left.aborted) {
        goOn(response);
        await pause(10);
      }
    });
    const { outcome } = await callModel(server.url, { idleMs: 60_000 });
    expect(replyOf(outcome).content).toEqual([{ type: 'text', text: 'Nine' }]);
  });

  test('connections are reused for later calls', async () => {
    const calls = 8;
    await using server = await modelServer(
      ...Array.from({ length: calls }, () => reply(message([text('Nine')]))),
    );
    for (let n = 0; n < calls; n++) replyOf((await callModel(server.url)).outcome);
    expect(server.connections()).toBeLessThan(calls / 2);
  });

  test('an error event no longer counts', async () => {
    const late = { type: 'error', error: { type: 'overloaded_error', message: 'late' } };
    expect((await replyTo([...message([text('Nine')]), late])).stop).toBe('end_turn');
  });
});

test('a listener that throws does not lose the reply', async () => {
  await using server = await modelServer(reply(message([text('Nine', ' sharp')])));
  const { outcome } = await callModel(server.url, {
    onDelta: () => {
      throw new Error('the socket is gone');
    },
  });
  expect(replyOf(outcome).content).toEqual([{ type: 'text', text: 'Nine sharp' }]);
});
