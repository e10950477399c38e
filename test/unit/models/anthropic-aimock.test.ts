import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { expect, test } from 'vitest';
import { callModel, modelRequest, replyOf } from '../../support/model-call.ts';

/** The model of the embedded stack speaks the same wire protocol as the real one (toolchain.md). */
test('aimock streams text and a tool call to the provider, and its responder sees the conversation', async () => {
  const seen: ChatCompletionRequest[] = [];
  const mock = new LLMock({ port: 0, chunkSize: 4 });
  mock.on({ predicate: () => true }, (request) => {
    seen.push(request);
    const { messages } = request;
    const result = messages.find(({ role }) => role === 'tool');
    return result
      ? { content: `It is ${result.content}.`, usage: { input_tokens: 120, output_tokens: 9 } }
      : {
          content: 'Let me look.',
          toolCalls: [{ name: 'clock', arguments: { city: 'Lisbon' } }],
          usage: { input_tokens: 80, output_tokens: 20 },
        };
  });
  const url = await mock.start();
  try {
    const tools = [
      { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object', properties: {} } },
    ];
    const first = modelRequest({ tools });
    const asked = await callModel(url, { request: first });
    const asking = replyOf(asked.outcome);
    expect(asked.deltas.map(({ text }) => text).join('')).toBe('Let me look.');
    expect(asked.deltas.length).toBeGreaterThan(1);
    expect(asking).toMatchObject({
      stop: 'tool_use',
      calls: [{ name: 'clock', input: { city: 'Lisbon' } }],
      usage: { input: 80, output: 20, cacheRead: 0, cacheWrite: 0 },
    });

    const [call] = asking.calls;
    const result = { type: 'tool_result', tool_use_id: call?.id, content: 'half past nine' };
    const nudge = { type: 'text', text: 'Answer now.' };
    const answered = await callModel(url, {
      request: modelRequest({
        tools,
        messages: [
          ...first.messages,
          { role: 'assistant', content: asking.content },
          { role: 'user', content: [result, nudge] },
        ],
      }),
    });
    expect(replyOf(answered.outcome)).toMatchObject({
      stop: 'end_turn',
      content: [{ type: 'text', text: 'It is half past nine.' }],
      usage: { input: 120, output: 9 },
    });

    // aimock normalizes the request: the system prompt comes first, and text next to results moves before them.
    expect(seen[1]?.messages).toEqual([
      { role: 'system', content: 'You are a clock.' },
      { role: 'user', content: 'What time is it in Lisbon?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: call?.id, type: 'function', function: { name: 'clock', arguments: '{"city":"Lisbon"}' } },
        ],
      },
      { role: 'user', content: 'Answer now.' },
      { role: 'tool', content: 'half past nine', tool_call_id: call?.id },
    ]);
    expect(seen[1]?.tools?.map((tool) => tool.function.name)).toEqual(['clock']);
  } finally {
    await mock.stop();
  }
});
