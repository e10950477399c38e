import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callOpenai, failureOf, modelRequest, replyOf } from '../../support/model-call.ts';

/** The same wire protocol as any OpenAI-compatible server (toolchain.md). */
let mock: LLMock;
let url: string;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 4, logLevel: 'silent' });
  url = `${await mock.start()}/v1`;
});
afterEach(() => mock.stop());

const always = { predicate: () => true };
const tools = [
  { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object', properties: {} } },
];
const usage = { prompt_tokens: 80, completion_tokens: 20, total_tokens: 100 };

describe('aimock’s OpenAI endpoint', () => {
  test('streams text and a call, and its responder sees the conversation', async () => {
    const seen: ChatCompletionRequest[] = [];
    mock.on(always, (request) => {
      seen.push(request);
      const result = request.messages.find(({ role }) => role === 'tool');
      return result
        ? { content: `It is ${result.content}.`, usage }
        : { content: 'Let me look.', toolCalls: [{ name: 'clock', arguments: { city: 'Lisbon' } }], usage };
    });
    const first = modelRequest({ tools });
    const asked = await callOpenai(url, { request: first });
    const asking = replyOf(asked.outcome);
    expect(asked.deltas.map(({ text }) => text).join('')).toBe('Let me look.');
    expect(asked.deltas.length).toBeGreaterThan(1);
    expect(asking).toMatchObject({
      stop: 'tool_use',
      calls: [{ name: 'clock', input: { city: 'Lisbon' } }],
      usage: { input: 80, output: 20, cacheRead: 0, cacheWrite: 0 },
    });

    const [call] = asking.calls;
    const results = [{ type: 'tool_result', tool_use_id: call?.id, content: 'half past nine' }];
    const messages = [
      ...first.messages,
      { role: 'assistant' as const, content: asking.content },
      { role: 'user' as const, content: [...results, { type: 'text', text: 'Answer now.' }] },
    ];
    const answered = await callOpenai(url, { request: modelRequest({ tools, messages }) });
    expect(replyOf(answered.outcome)).toMatchObject({
      stop: 'end_turn',
      content: [{ type: 'text', text: 'It is half past nine.' }],
    });
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
      { role: 'tool', content: 'half past nine', tool_call_id: call?.id },
      { role: 'user', content: 'Answer now.' },
    ]);
    expect(seen[0]?.tools?.map((tool) => tool.function.name)).toEqual(['clock']);
  });

  test('H12: complete blocks in the content of a reply that was cut are calls, the tail is dropped', async () => {
    const seen: ChatCompletionRequest[] = [];
    mock.on(always, (request) => {
      seen.push(request);
      const call = '<tool_call>{"name":"clock","arguments":{"city":"Lisbon"}}</tool_call>';
      return {
        content: `<think>Hm.</think>Let me look. ${call}<tool_call>{"name":"clo`,
        finishReason: 'length',
        usage,
      };
    });
    const { outcome, deltas } = await callOpenai(url, { calls: 'xml', request: modelRequest({ tools }) });
    expect(replyOf(outcome)).toMatchObject({
      stop: 'max_tokens',
      callsComplete: true,
      calls: [{ name: 'clock', input: { city: 'Lisbon' } }],
      content: [{ type: 'thinking', thinking: 'Hm.' }, { text: 'Let me look.' }, { type: 'tool_use' }],
    });
    expect(deltas.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('')).toBe('Let me look.');
    expect(seen[0]).not.toHaveProperty('tools');
    expect(seen[0]?.messages[0]?.content).toContain('<tools>\n{"name":"clock"');
  });

  test('reasoning is separate from the answer', async () => {
    mock.on(always, { content: 'Nine.', reasoning: 'Lisbon is WET.' });
    const reply = replyOf((await callOpenai(url)).outcome);
    expect(reply.content).toEqual([
      { type: 'thinking', thinking: 'Lisbon is WET.', _given: { as: 'reasoning_content' } },
      { type: 'text', text: 'Nine.' },
    ]);
  });

  test.each([
    [429, 'rate_limit_exceeded', { kind: 'retry', rateLimited: true }],
    [429, 'insufficient_quota', { kind: 'account', code: 'insufficient_quota' }],
    [503, 'server_error', { kind: 'retry', rateLimited: false }],
    [401, 'invalid_api_key', { kind: 'account' }],
    [400, 'context_length_exceeded', { kind: 'too_long' }],
  ])('A8: its error %i %s is classified', async (status, code, expected) => {
    mock.on(always, { error: { message: 'no', type: code, code }, status });
    expect(failureOf((await callOpenai(url)).outcome)).toMatchObject(expected);
  });

  test('A19: a stream that ends in the middle is a failure that can be retried', async () => {
    mock.on(always, { content: 'A long answer that does not end.' }, { truncateAfterChunks: 3, latency: 20 });
    expect(failureOf((await callOpenai(url)).outcome)).toMatchObject({
      kind: 'retry',
      code: 'stream_broken',
    });
  });

  test('a slow reply can be stopped', async () => {
    mock.on(always, { content: 'A long answer, slowly.' }, { latency: 50 });
    const abort = new AbortController();
    const { outcome, deltas } = await callOpenai(url, { signal: abort.signal, onDelta: () => abort.abort() });
    const reply = replyOf(outcome);
    expect(reply.stop).toBe('interrupted');
    expect(reply.content).toEqual([{ type: 'text', text: deltas.map(({ text }) => text).join('') }]);
  });
});
