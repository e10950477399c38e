import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callResponses, modelRequest, replyOf } from '../../support/model-call.ts';

/** The Responses API as another implementation streams it (toolchain.md). */
let mock: LLMock;
let url: string;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 4, logLevel: 'silent' });
  url = `${await mock.start()}/v1`;
});
afterEach(() => mock.stop());

const tools = [
  { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object', properties: {} } },
];

test('text and a call are streamed, and the responder sees the conversation', async () => {
  mock.on({ predicate: () => true }, (request) => {
    const result = request.messages.find(({ role }) => role === 'tool');
    return result
      ? { content: `It is ${result.content}.` }
      : { content: 'Let me look.', toolCalls: [{ name: 'clock', arguments: '{"city":"Lisbon"}' }] };
  });
  const first = modelRequest({ provider: 'openai-responses', tools });
  const asking = replyOf((await callResponses(url, { request: first })).outcome);
  expect(asking).toMatchObject({ stop: 'tool_use', calls: [{ name: 'clock', input: { city: 'Lisbon' } }] });
  const result = { type: 'tool_result', tool_use_id: asking.calls[0]?.id, content: 'half past nine' };
  const messages = [
    ...first.messages,
    { role: 'assistant' as const, content: asking.content },
    { role: 'user' as const, content: [result] },
  ];
  const answered = await callResponses(url, { request: { ...first, messages } });
  expect(replyOf(answered.outcome)).toMatchObject({
    stop: 'end_turn',
    content: [
      { type: 'thinking', signature: expect.any(String) },
      { type: 'text', text: 'It is half past nine.' },
    ],
  });
  expect(answered.deltas.length).toBeGreaterThan(1);
});
