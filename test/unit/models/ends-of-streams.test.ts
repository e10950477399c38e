import { describe, expect, test } from 'vitest';
import { askedServer } from '../../support/http-session.ts';
import { callModel, callOpenai, callResponses } from '../../support/model-call.ts';
import { sse } from '../../support/model-server.ts';
import { completion, says } from '../../support/openai-events.ts';
import * as responses from '../../support/responses-events.ts';

const message = [
  { type: 'message_start', message: { model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Nine.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

const response = responses
  .response([responses.says('msg_1', 'Nine.')])
  .map(sse)
  .join('');

test.each([1, 2])(
  'a message whose stream ends %i characters before its blank line is complete',
  async (missing) => {
    await using server = await askedServer(() => [message.slice(0, -missing)]);
    const { outcome } = await callModel(server.url);
    expect(outcome).toMatchObject({ kind: 'reply', reply: { content: [{ text: 'Nine.' }] } });
  },
);

test('a stream that ends within an event is broken', async () => {
  await using server = await askedServer(() => [message.slice(0, -12)]);
  const { outcome } = await callModel(server.url);
  expect(outcome).toMatchObject({ failure: { code: 'stream_broken' } });
});

test('an event of an unknown name that is not JSON does not affect a completion', async () => {
  await using server = await askedServer(() => [
    'event: keep-alive\ndata: still here\n\n',
    ...completion(says('Nine.')),
  ]);
  const { outcome } = await callOpenai(server.url);
  expect(outcome).toMatchObject({ kind: 'reply', reply: { content: [{ text: 'Nine.' }] } });
});

describe.each([
  ['\n', 'LF'],
  ['\r\n', 'CR LF'],
  ['\r', 'CR'],
])('with the line ends %j', (end) => {
  const withEnds = (body: string) => body.replaceAll('\n', end);

  /** The outcome of every body that is cut from `from` characters on. */
  async function cuts(body: string, from: number, call: typeof callModel) {
    const outcomes: [cut: string, kind: string][] = [];
    for (let length = from; length <= body.length; length++) {
      await using server = await askedServer(() => [body.slice(0, length)]);
      const { outcome } = await call(server.url);
      outcomes.push([
        body.slice(from - 8, length),
        outcome.kind === 'reply' ? outcome.reply.stop : outcome.kind,
      ]);
    }
    return outcomes;
  }

  test('a message is complete from the last character of its message_stop on', async () => {
    const body = withEnds(message);
    const whole = body.lastIndexOf('}') + 1;
    const outcomes = await cuts(body, whole - 1, callModel);
    expect(outcomes.map(([, kind]) => kind)).toEqual(['failed', ...outcomes.slice(1).map(() => 'end_turn')]);
  });

  test('a completion is complete from the last character of its finish reason on, whatever of the rest comes', async () => {
    const body = withEnds(completion(says('Nine.')).join(''));
    const whole = body.indexOf('}]}', body.indexOf('finish_reason')) + 3;
    const outcomes = await cuts(body, whole - 1, callOpenai);
    expect(outcomes.map(([, kind]) => kind)).toEqual(['failed', ...outcomes.slice(1).map(() => 'end_turn')]);
  });

  test('a response is complete from the last character of its last event on', async () => {
    const body = withEnds(response);
    const whole = body.lastIndexOf('}') + 1;
    const outcomes = await cuts(body, whole - 1, callResponses);
    expect(outcomes.map(([, kind]) => kind)).toEqual(['failed', ...outcomes.slice(1).map(() => 'end_turn')]);
  });

  test.each([
    ['no data', 'event: keep-alive\n\n'],
    ['empty data', 'event: keep-alive\ndata:\n\n'],
    ['text', 'event: keep-alive\ndata: still here\n\n'],
    ['a number', 'event: keep-alive\ndata: 3\n\n'],
    ['a list', 'event: keep-alive\ndata: []\n\n'],
    ['other JSON', 'event: keep-alive\ndata: {"queue":3}\n\n'],
    ['empty data and no name', 'data:\n\n'],
    ['empty data and a known name', 'event: error\ndata:\n\n'],
    ['an id alone', 'id: 7\n\n'],
    ['a time to reconnect', 'retry: 3000\n\n'],
    ['a comment', ': still here\n\n'],
    ['a field of no known name', 'status: busy\n\n'],
  ])('an event with %s does not affect a reply, wherever it comes', async (_what, event) => {
    for (const [body, call] of [
      [message, callModel],
      [completion(says('Nine.')).join(''), callOpenai],
      [response, callResponses],
    ] as const) {
      const events = body.split('\n\n').slice(0, -1);
      for (let at = 0; at <= events.length; at++) {
        const all = events.toSpliced(at, 0, event.slice(0, -2));
        await using server = await askedServer(() => [withEnds(`${all.join('\n\n')}\n\n`)]);
        const { outcome } = await call(server.url);
        expect(outcome).toMatchObject({ kind: 'reply', reply: { content: [{ text: 'Nine.' }] } });
      }
    }
  });
});

test.each([
  ['message', callModel, 'event: content_block_delta\ndata: not JSON\n\n'],
  ['completion', callOpenai, 'data: not JSON\n\n'],
  ['response', callResponses, 'event: response.completed\ndata: not JSON\n\n'],
] as const)('a known event of a %s that is not JSON is still a fault', async (_what, call, event) => {
  await using server = await askedServer(() => [event]);
  const { outcome } = await call(server.url);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'malformed_reply' } });
});
