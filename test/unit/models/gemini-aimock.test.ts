import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callGemini, modelRequest, replyOf } from '../../support/model-call.ts';

/** Gemini's API as another implementation streams it (toolchain.md). */
let mock: LLMock;
let url: string;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 4, logLevel: 'silent' });
  url = `${await mock.start()}/v1beta`;
});
afterEach(() => mock.stop());

const tools = [
  { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object', properties: {} } },
];

test('text and a call are streamed, and the responder sees the conversation', async () => {
  mock.on({ predicate: () => true }, (request) => {
    const result = request.messages.find(({ role }) => role === 'tool');
    return result
      ? { content: `It is ${JSON.parse(String(result.content)).output}.` }
      : { content: 'Let me look.', toolCalls: [{ name: 'clock', arguments: '{"city":"Lisbon"}' }] };
  });
  const first = modelRequest({ provider: 'gemini', model: 'gemini-test-3', tools });
  const asking = replyOf((await callGemini(url, { request: first })).outcome);
  // It stops with `FUNCTION_CALL`, which Google has not: calls run whatever the reason is.
  expect(asking).toMatchObject({ stop: 'unknown', calls: [{ name: 'clock', input: { city: 'Lisbon' } }] });
  const result = { type: 'tool_result', tool_use_id: asking.calls[0]?.id, content: 'half past nine' };
  const messages = [
    ...first.messages,
    { role: 'assistant' as const, content: asking.content },
    { role: 'user' as const, content: [result] },
  ];
  const answered = await callGemini(url, { request: { ...first, messages } });
  expect(replyOf(answered.outcome)).toMatchObject({
    stop: 'end_turn',
    content: [{ type: 'text', text: 'It is half past nine.' }],
  });
  expect(answered.deltas.length).toBeGreaterThan(1);
});
