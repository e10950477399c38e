import { describe, expect, test } from 'vitest';
import { callModel, failureOf, replyOf } from '../../support/model-call.ts';
import {
  block,
  blockEvents,
  message,
  messageDelta,
  messageStart,
  openBlock,
  ping,
  text,
  thinking,
  toolUse,
} from '../../support/model-events.ts';
import { apiError, hang, modelServer, type Piece, reply, sse, stall } from '../../support/model-server.ts';

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Streams the pieces and then hangs; the call is aborted when it streams the text `now`. */
async function abortedAtNow(pieces: readonly Piece[]) {
  await using server = await modelServer(stall([...pieces, ...openBlock(text('now'), 99)]));
  const abort = new AbortController();
  const { outcome, deltas } = await callModel(server.url, {
    signal: abort.signal,
    onDelta: (delta) => delta.text === 'now' && abort.abort(),
  });
  const interrupted = replyOf(outcome);
  expect(interrupted.stop).toBe('interrupted');
  // The details that the abort itself needed are not part of the case.
  return { ...interrupted, content: interrupted.content.filter((block) => block.text !== 'now'), deltas };
}

describe('abort', () => {
  test('before the call makes no request', async () => {
    await using server = await modelServer();
    let asked = 0;
    const key = async () => `${asked++}`;
    const { outcome } = await callModel(server.url, { signal: AbortSignal.abort(), key });
    expect(asked).toBe(0);
    expect(replyOf(outcome)).toEqual({
      model: 'claude-test-1',
      stop: 'interrupted',
      content: [],
      calls: [],
      usage: noUsage,
    });
  });

  test('while the key is looked up', async () => {
    await using server = await modelServer();
    const abort = new AbortController();
    const key = () => {
      queueMicrotask(() => abort.abort());
      return new Promise<string>(() => undefined);
    };
    expect(replyOf((await callModel(server.url, { signal: abort.signal, key })).outcome).stop).toBe(
      'interrupted',
    );
  });

  test('before the headers', async () => {
    await using server = await modelServer(hang());
    const abort = new AbortController();
    const call = callModel(server.url, { signal: abort.signal });
    await server.arrived(1);
    abort.abort();
    expect(replyOf((await call).outcome)).toMatchObject({ stop: 'interrupted', content: [], usage: noUsage });
  });

  test('in the middle of a text keeps the text, the complete blocks before it, and the usage known so far', async () => {
    const reply = await abortedAtNow([
      messageStart({ input_tokens: 12, output_tokens: 1, cache_read_input_tokens: 800 }),
      ...blockEvents(thinking('sig', 'x'.repeat(20)), 0),
      ...openBlock(text('Half past', ' ni'), 1),
    ]);
    expect(reply.content).toEqual([
      { type: 'thinking', thinking: 'x'.repeat(20), signature: 'sig' },
      { type: 'text', text: 'Half past ni' },
    ]);
    // 20 characters of thinking, 12 and 3 of text, at four a token.
    expect(reply.usage).toEqual({ input: 12, output: 9, cacheRead: 800, cacheWrite: 0 });
  });

  test('in the middle of a call drops it, and keeps the complete calls', async () => {
    const reply = await abortedAtNow([
      messageStart(),
      ...blockEvents(toolUse('toolu_1', 'clock', '{"city":"Lisbon"}'), 0),
      ...openBlock(toolUse('toolu_2', 'clock', '{"city":"Por'), 1),
    ]);
    expect(reply.content).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } },
    ]);
    expect(reply.calls).toEqual([{ id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } }]);
  });

  test('in the middle of thinking drops it: its signature is missing', async () => {
    const cutThinking = block(
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm' },
    );
    expect((await abortedAtNow([messageStart(), ...openBlock(cutThinking, 0)])).content).toEqual([]);
  });

  test('after the counts have arrived uses them', async () => {
    const counts = messageDelta('end_turn', { output_tokens: 77 });
    const reply = await abortedAtNow([messageStart(), ...openBlock(text('x'.repeat(1000)), 0), counts]);
    expect(reply.usage).toEqual({ ...noUsage, input: 10, output: 77 });
  });

  test('streams nothing more, not even what has already arrived', async () => {
    const pieces = [messageStart(), ...openBlock(text('now', 'never', 'never'), 0)].map(
      (event) => `data: ${JSON.stringify(event)}\n\n`,
    );
    expect((await abortedAtNow([pieces.join('')])).deltas).toEqual([{ kind: 'text', text: 'now' }]);
  });

  test('after message_stop changes nothing', async () => {
    const abort = new AbortController();
    const inOnePacket = message([text('Nine')])
      .map(sse)
      .join('');
    await using server = await modelServer(stall([inOnePacket]));
    const { outcome } = await callModel(server.url, {
      signal: abort.signal,
      onDelta: () => setImmediate(() => abort.abort()),
    });
    expect(replyOf(outcome)).toMatchObject({ stop: 'end_turn', content: [{ text: 'Nine' }] });
  });
});

describe('facts 0.3: a server that stays silent', () => {
  const stalled = { kind: 'retry', code: 'stream_stalled', rateLimited: false };

  test.each([
    ['before the headers', hang()],
    ['after the headers', stall([])],
    ['in the middle of a text', stall([messageStart(), ...openBlock(text('Half'), 0)])],
    ['after only pings', stall([ping, ping, ping])],
    ['in the middle of a line', stall([messageStart(), 'event: content_block_delta\nda'])],
    ['in fragments of no event', stall(Array.from({ length: 20 }, () => [': \n', { pauseMs: 10 }]).flat())],
  ])('%s times out', async (_name, step) => {
    await using server = await modelServer(step);
    expect(failureOf((await callModel(server.url, { idleMs: 500 })).outcome)).toMatchObject(stalled);
  });

  test('while the key is looked up', async () => {
    await using server = await modelServer();
    const key = () => new Promise<string>(() => undefined);
    expect(failureOf((await callModel(server.url, { key, idleMs: 30 })).outcome)).toMatchObject(stalled);
  });

  test('in the body of an error reports that error', async () => {
    await using server = await modelServer(async (response, left) => {
      response.writeHead(403, { 'content-type': 'application/json' }).write('{"type":"err');
      await new Promise((resolve) => left.addEventListener('abort', resolve));
    });
    expect(failureOf((await callModel(server.url, { idleMs: 500 })).outcome)).toMatchObject({
      kind: 'account',
      code: 'http_403',
    });
  });

  test('pings keep the call alive', async () => {
    const pings = Array.from({ length: 12 }, () => [{ pauseMs: 100 }, ping]).flat();
    await using server = await modelServer(reply([...pings, ...message([text('Nine')])]));
    expect(replyOf((await callModel(server.url, { idleMs: 1_000 })).outcome).stop).toBe('end_turn');
  });

  test('a failure leaves the provider usable', async () => {
    await using server = await modelServer(
      hang(),
      apiError(529, 'overloaded_error'),
      reply(message([text('Nine')])),
    );
    failureOf((await callModel(server.url, { idleMs: 300 })).outcome);
    failureOf((await callModel(server.url)).outcome);
    replyOf((await callModel(server.url)).outcome);
  });
});
