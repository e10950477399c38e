/** A7: servers that do not stream, and agents that turn streaming off: a reply in one piece of JSON. */

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { callModel, callOpenai, failureOf, modelRequest, replyOf } from '../../support/model-call.ts';
import { garbage, modelServer, type Step, status } from '../../support/model-server.ts';

const json = (body: object, type = 'application/json'): Step => garbage(JSON.stringify(body), type);

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-test-1',
  content: [
    { type: 'thinking', thinking: 'Hm', signature: 'sig' },
    { type: 'text', text: 'Half past nine.' },
    { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 12, output_tokens: 7 },
};

const completion = {
  object: 'chat.completion',
  model: 'gpt-test-1',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        reasoning_content: 'Hm',
        content: 'Half past nine.',
        tool_calls: [
          { type: 'function', function: { name: 'clock', arguments: '{"city":"Lisbon"}' } },
          { type: 'function', function: { name: 'clock', arguments: '{"city":"Porto"}' } },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 7 },
};

const usage = { input: 12, output: 7, cacheRead: 0, cacheWrite: 0 };

describe('A7: a server that answers a streamed request with plain JSON', () => {
  test.each(['application/json', 'text/plain'])('Messages API, as %s', async (type) => {
    await using server = await modelServer(json(message, type));
    const { outcome, deltas } = await callModel(server.url);
    expect(replyOf(outcome)).toEqual({
      model: 'claude-test-1',
      stop: 'tool_use',
      content: message.content,
      calls: [{ id: 'toolu_1', name: 'clock', input: { city: 'Lisbon' } }],
      usage,
    });
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Hm' },
      { kind: 'text', text: 'Half past nine.' },
    ]);
  });

  test('Chat Completions: calls without ids stay separate', async () => {
    await using server = await modelServer(json(completion));
    const { outcome, deltas } = await callOpenai(server.url);
    expect(replyOf(outcome)).toMatchObject({
      stop: 'tool_use',
      calls: [{ input: { city: 'Lisbon' } }, { input: { city: 'Porto' } }],
      usage,
    });
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Hm' },
      { kind: 'text', text: 'Half past nine.' },
    ]);
  });

  test('calls in content are calls', async () => {
    const content = 'Look. <tool_call>{"name":"clock","arguments":{}}</tool_call>';
    const choices = [{ finish_reason: 'stop', message: { content } }];
    await using server = await modelServer(json({ choices }));
    const { outcome, deltas } = await callOpenai(server.url, { calls: 'xml' });
    expect(replyOf(outcome)).toMatchObject({ calls: [{ name: 'clock' }], estimated: true });
    expect(deltas).toEqual([{ kind: 'text', text: 'Look.' }]);
  });

  test('A9: without a usage it is estimated from the whole reply', async () => {
    await using server = await modelServer(json({ ...message, usage: undefined }));
    const reply = replyOf((await callModel(server.url)).outcome);
    // 2 characters of thinking, 15 of text, 17 of arguments, at four a token.
    expect(reply).toMatchObject({ usage: { input: 24, output: 9 }, estimated: true });
  });

  test('an error in a 200 is that error', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'full' } };
    await using server = await modelServer(json(error), json({ error: { code: 'insufficient_quota' } }));
    expect(failureOf((await callModel(server.url)).outcome)).toMatchObject({ code: 'overloaded_error' });
    expect(failureOf((await callOpenai(server.url)).outcome)).toMatchObject({ kind: 'account' });
  });

  test('a body that is cut, or has no stop reason, is no reply', async () => {
    const half = JSON.stringify(message).slice(0, 200);
    const open = { ...message, stop_reason: null };
    await using server = await modelServer(garbage(half, 'application/json'), json(open));
    for (const _ of [half, open])
      expect(failureOf((await callModel(server.url)).outcome)).toMatchObject({ code: 'malformed_reply' });
  });

  test('a stream with another content type is a stream', async () => {
    const events =
      'data: {"choices":[{"delta":{"content":"Nine"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    await using server = await modelServer(garbage(events, 'text/plain'));
    expect(replyOf((await callOpenai(server.url)).outcome).content).toEqual([{ type: 'text', text: 'Nine' }]);
  });

  test.each([
    { begins: 'data: ', what: 'at once' },
    { begins: '\ufeff\r\n: hello\n\ndata: ', what: 'after a mark, a blank line and a comment' },
  ])('and is passed on while it arrives: it begins $what', async ({ begins }) => {
    const heard = Promise.withResolvers<void>();
    const slow: Step = async (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.write(`${begins}{"choices":[{"delta":{"content":"Half past"}}]}\n\n`);
      await heard.promise;
      response.end(
        'data: {"choices":[{"delta":{"content":" nine"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      );
    };
    await using server = await modelServer(slow);
    const onDelta = () => heard.resolve();
    const { outcome } = await callOpenai(server.url, { onDelta, idleMs: 2_000 });
    expect(replyOf(outcome).content).toEqual([{ type: 'text', text: 'Half past nine' }]);
  });
});

describe('A7: an agent that turns streaming off', () => {
  const slowly =
    (body: object): Step =>
    async (response, left) => {
      await pause(700);
      await status(200, {}, body)(response, left);
    };
  const request = modelRequest({ request: { stream: false } });

  test('is honoured, and its server may be silent until the reply is complete', async () => {
    await using server = await modelServer(slowly(message), slowly(completion));
    const asked = await callModel(server.url, { request, idleMs: 200 });
    expect(replyOf(asked.outcome).stop).toBe('tool_use');
    expect(replyOf((await callOpenai(server.url, { request, idleMs: 200 })).outcome).stop).toBe('tool_use');
    expect(server.requests.map(({ body }) => body.stream)).toEqual([false, false]);
  });

  test('a streaming request still times out on a silent server', async () => {
    await using server = await modelServer(slowly(message));
    expect(failureOf((await callModel(server.url, { idleMs: 200 })).outcome)).toMatchObject({
      code: 'stream_stalled',
    });
  });

  test('an aborted call ends at once', async () => {
    await using server = await modelServer(slowly(message));
    const abort = new AbortController();
    const call = callModel(server.url, { request, signal: abort.signal });
    await server.arrived(1);
    abort.abort();
    expect(replyOf((await call).outcome)).toMatchObject({ stop: 'interrupted', content: [] });
  });
});
