import { describe, expect, test } from 'vitest';
import type { Message, ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Block } from '../../../shared/agent/session/slots.ts';
import { toBody } from '../../../shared/models/bedrock/request.ts';
import { modelRequest } from '../../support/model-call.ts';
import { refusalOf } from '../../support/strict/refusal.ts';

/** The body of a request, which a strict server accepts. */
function sent(more: Partial<ModelRequest> = {}) {
  const raw = toBody(modelRequest({ provider: 'bedrock-converse', model: 'meta.llama-test', ...more }));
  const body = JSON.parse(raw);
  expect(refusalOf(body, raw, 'converse')).toBeUndefined();
  return body;
}

const text = (words: string): Block => ({ type: 'text', text: words });
const user = (...content: Block[]): Message => ({ role: 'user', content });
const model = (...content: Block[]): Message => ({ role: 'assistant', content });
const call = (id: string, input: unknown = {}): Block => ({ type: 'tool_use', id, name: 'get', input });
const result = (id: string, content: unknown = 'done', more = {}): Block => ({
  ...{ type: 'tool_result', tool_use_id: id, content },
  ...more,
});
const file = (title: string): Block => ({
  ...{ type: 'document', title, source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
});
const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };
const tool = {
  name: 'get',
  description: 'Gets.',
  input_schema: { $schema: 'x', type: 'object', properties: {} },
};
const messages = (...all: Message[]) => sent({ messages: all, tools: [tool] }).messages;

describe('fields', () => {
  test('has no model and no stream, which are in the address', () => {
    expect(sent({ request: { stream: false } })).toEqual({
      inferenceConfig: { maxTokens: 1000 },
      system: [{ text: 'You are a clock.' }],
      messages: [{ role: 'user', content: [{ text: 'What time is it in Lisbon?' }] }],
    });
  });

  test("keeps the agent's own fields, and sets what is the agent's", () => {
    const request = {
      inferenceConfig: { temperature: 0, maxTokens: 1 },
      toolConfig: { toolChoice: { any: {} }, tools: [] },
      additionalModelRequestFields: { thinking: { type: 'adaptive' } },
    };
    expect(sent({ request, tools: [tool] })).toMatchObject({
      inferenceConfig: { temperature: 0, maxTokens: 1000 },
      toolConfig: { toolChoice: { any: {} }, tools: [{ toolSpec: { name: 'get' } }] },
      additionalModelRequestFields: { thinking: { type: 'adaptive' } },
    });
  });

  test('a tool has neither an empty description nor $schema', () => {
    expect(sent({ tools: [{ ...tool, description: '' }] }).toolConfig.tools).toEqual([
      { toolSpec: { name: 'get', inputSchema: { json: { type: 'object', properties: {} } } } },
    ]);
  });

  test('a blank system prompt is left out (system blocks may not be blank)', () => {
    expect(sent({ system: ' \n' })).not.toHaveProperty('system');
  });

  test('a request without tools declares those of its history (vxcontrol/pentagi#196)', () => {
    const history = [user(text('hi')), model(call('a')), user(result('a'))];
    expect(sent({ messages: history }).toolConfig.tools).toMatchObject([{ toolSpec: { name: 'get' } }]);
  });
});

describe('messages', () => {
  test('results come before other content, with the ids of their calls', () => {
    expect(
      messages(user(text('hi')), model(text('On it.'), call('a')), user(text('And?'), result('a'))),
    ).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
      {
        role: 'assistant',
        content: [{ text: 'On it.' }, { toolUse: { toolUseId: 'a', name: 'get', input: {} } }],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'done' }] } }, { text: 'And?' }],
      },
    ]);
  });

  test('an id that is too long is replaced in its call and its result (run-llama/llama_index#22775)', () => {
    const id = 'x'.repeat(80);
    const [, { content: reply }, { content: results }] = messages(
      user(text('hi')),
      model(call(id)),
      user(result(id)),
    );
    expect(reply[0].toolUse.toolUseId).toMatch(/^call_\w{24}$/);
    expect(results[0].toolResult.toolUseId).toBe(reply[0].toolUse.toolUseId);
  });

  test.each(['', ' \n'])(
    'blank text %j is left out, and an empty result says so (hermes-agent#55092)',
    (blank) => {
      const [, , { content }] = messages(
        user(text('hi'), text(blank)),
        model(text(blank), call('a')),
        user(result('a', blank), text(blank)),
      );
      expect(content).toEqual([{ toolResult: { toolUseId: 'a', content: [{ text: '(empty)' }] } }]);
    },
  );

  test('roles alternate, and begin and end with the user (langgenius/dify#9294)', () => {
    const all = messages(model(text('Before.')), user(text('a')), user(text('b')), model(text('c')));
    expect(all.map(({ role }: Message) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(all[2].content).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  test('documents have sound and unique names, and text beside them (vercel/ai#20365)', () => {
    const [{ content }] = messages(user(file("John's  report.pdf"), file('John s report'), file('分期.pdf')));
    expect(content.map((one: { document?: { name: string } }) => one.document?.name)).toEqual([
      'John s report',
      'John s report 2',
      'document',
      undefined,
    ]);
  });

  test('a result keeps its images and documents (run-llama/llama_index#21677)', () => {
    const [, , { content }] = messages(
      user(text('hi'), file('a.pdf')),
      model(call('a')),
      user(result('a', [text('See:'), image, file('a.pdf')])),
    );
    expect(content[0].toolResult.content).toEqual([
      { text: 'See:' },
      { image: { format: 'png', source: { bytes: 'iVBO' } } },
      { document: { format: 'pdf', name: 'a 2', source: { bytes: 'JVBE' } } },
    ]);
  });

  test('only models that read it get the status of a result', () => {
    const history = [user(text('hi')), model(call('a')), user(result('a', 'no', { is_error: true }))];
    const statusFor = (name: string) =>
      sent({ model: name, messages: history, tools: [tool] }).messages[2].content[0].toolResult.status;
    expect(statusFor('eu.anthropic.claude-sonnet-5-5')).toBe('error');
    expect(statusFor('us.amazon.nova-2-lite-v1:0')).toBe('error');
    expect(statusFor('meta.llama-test')).toBeUndefined();
  });

  test('signed and encrypted reasoning goes back, other reasoning does not (langchain-aws#844)', () => {
    const [, { content }] = messages(
      user(text('hi')),
      model(
        { type: 'thinking', thinking: '', signature: 'sig' },
        { type: 'thinking', thinking: 'Unsigned.' },
        { type: 'redacted_thinking', data: 'AAEC' },
        text('Hello.'),
      ),
      user(text('hi')),
    );
    expect(content).toEqual([
      { reasoningContent: { reasoningText: { text: '', signature: 'sig' } } },
      { reasoningContent: { redactedContent: 'AAEC' } },
      { text: 'Hello.' },
    ]);
  });

  test('a longer history begins with the same bytes', () => {
    const history = [user(text('hi'), file('a.pdf')), model(call('a')), user(result('a', [file('a.pdf')]))];
    const first = messages(...history);
    const second = messages(...history, model(text('b')), user(text('c')));
    expect(second.slice(0, first.length)).toEqual(first);
  });
});

describe('cache points', () => {
  const points = (name: string, cache?: ModelRequest['cache']) => {
    const history = [user(text('a')), model(text('b')), user(text('c')), model(text('d')), user(text('e'))];
    const body = sent({
      model: name,
      messages: history,
      tools: [tool],
      ...(cache !== undefined && { cache }),
    });
    const last = (list: readonly { cachePoint?: object }[]) => list.at(-1)?.cachePoint;
    return {
      tools: last(body.toolConfig.tools),
      system: last(body.system),
      messages: body.messages.map(({ content }: { content: [] }) => last(content)),
    };
  };
  const mark = { type: 'default' };
  const atEnds = [undefined, undefined, mark, undefined, mark];

  test('Claude has four', () => {
    expect(points('eu.anthropic.claude-sonnet-5-5')).toEqual({ tools: mark, system: mark, messages: atEnds });
  });

  test('Nova has none on tools, and none for an hour (can1357/oh-my-pi#6409)', () => {
    const hour = { system: '1h', messages: '1h' } as const;
    expect(points('us.amazon.nova-2-lite-v1:0', hour)).toEqual({
      tools: undefined,
      system: mark,
      messages: atEnds,
    });
  });

  test('other models have none unless the agent sets `cache` (BerriAI/litellm#39210)', () => {
    const none = { tools: undefined, system: undefined, messages: Array(5).fill(undefined) };
    expect(points('nvidia.nemotron-test')).toEqual(none);
    expect(points('eu.anthropic.claude-sonnet-5-5', false)).toEqual(none);
    const profile = 'arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/abc';
    expect(points(profile, { system: '1h' }).system).toEqual({ type: 'default', ttl: '1h' });
  });
});
