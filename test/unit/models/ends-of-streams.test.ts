import { expect, test } from 'vitest';
import { askedServer } from '../../support/http-session.ts';
import { callModel, callOpenai } from '../../support/model-call.ts';
import { completion, says } from '../../support/openai-events.ts';

const message = [
  { type: 'message_start', message: { model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Nine.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
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
