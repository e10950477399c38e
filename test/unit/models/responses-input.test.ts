import { describe, expect, test } from 'vitest';
import type { Message, ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Block } from '../../../shared/agent/session/slots.ts';
import { rulesOf } from '../../../shared/models/dialects.ts';
import { toInput } from '../../../shared/models/responses/input.ts';
import { toBody } from '../../../shared/models/responses/request.ts';
import { modelRequest } from '../../support/model-call.ts';

const say = (text: string, message?: object): Block => ({
  type: 'text',
  text,
  ...(message && { _given: { message } }),
});
const use = (id: string, call?: object): Block => ({
  ...{ type: 'tool_use', id, name: 'look', input: { n: 1 } },
  ...(call && { _given: { call } }),
});
const result = (id: string, content: unknown = `got ${id}`): Block => ({
  ...{ type: 'tool_result', tool_use_id: id, content },
});
const thought = (id: string, before: string, more: object = {}): Block => ({
  ...{ type: 'thinking', thinking: 'Hm', signature: `enc-${id}` },
  ...{ _given: { message: { id, before } }, ...more },
});
const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } };
const pdf: Block = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
  title: 'a.pdf',
};
const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });

const call = (id: string, more: object = {}) => ({
  ...{ type: 'function_call', call_id: id, name: 'look', arguments: '{"n":1}' },
  ...more,
});
const output = (id: string, got: unknown = `got ${id}`) => ({
  ...{ type: 'function_call_output', call_id: id, output: got },
});
const reasoning = (id: string) => ({
  ...{
    type: 'reasoning',
    id,
    summary: [{ type: 'summary_text', text: 'Hm' }],
    encrypted_content: `enc-${id}`,
  },
});
const said = (id: string, text: string, more: object = {}) => ({
  ...{ type: 'message', role: 'assistant', id, status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

const rules = rulesOf({ provider: 'openai-responses', baseUrl: 'https://api.openai.com/v1', model: 'm' });

describe('toInput', () => {
  test.each<[string, Message[], unknown[]]>([
    [
      'text',
      [user(say('hi')), assistant(say('hello'))],
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
      ],
    ],
    [
      'a reply of another model in two texts is one',
      [assistant(say('a'), say('b'))],
      [{ role: 'assistant', content: 'ab' }],
    ],
    [
      'a reply keeps its order',
      [assistant(use('a'), say('On it.'), use('b')), user(result('a'), result('b'), say('quick'))],
      [
        call('a'),
        { role: 'assistant', content: 'On it.' },
        call('b'),
        output('a'),
        output('b'),
        { role: 'user', content: 'quick' },
      ],
    ],
    [
      'reasoning goes back with the ids of its reply',
      [
        assistant(
          thought('rs_1', 'msg_1'),
          say('On it.', { id: 'msg_1', phase: 'commentary' }),
          use('a', { id: 'fc_1' }),
        ),
      ],
      [reasoning('rs_1'), said('msg_1', 'On it.', { phase: 'commentary' }), call('a', { id: 'fc_1' })],
    ],
    [
      'a reply without reasoning goes back without ids',
      [assistant(say('On it.', { id: 'msg_1', phase: 'commentary' }), use('a', { id: 'fc_1' }))],
      [{ role: 'assistant', content: 'On it.', phase: 'commentary' }, call('a')],
    ],
    [
      'vercel/ai#7099, continue#11994: reasoning whose item is gone goes, and the ids of its reply with it',
      [assistant(thought('rs_1', 'fc_1'), say('On it.', { id: 'msg_1' }), use('b', { id: 'fc_2' }))],
      [{ role: 'assistant', content: 'On it.' }, call('b')],
    ],
    [
      'a call whose fields were taken out belongs to no reasoning',
      [assistant(thought('rs_1', 'fc_1'), use('a'))],
      [call('a')],
    ],
    [
      'reasoning at the end of a reply is not sent',
      [assistant(thought('rs_1', 'msg_1'), say('Ok.', { id: 'msg_1' }), thought('rs_2', 'fc_1'))],
      [reasoning('rs_1'), said('msg_1', 'Ok.')],
    ],
    [
      'pi#6950: bare reasoning is not sent',
      [assistant(thought('rs_1', 'msg_1', { signature: undefined }), say('Ok.', { id: 'msg_1' }))],
      [{ role: 'assistant', content: 'Ok.' }],
    ],
    [
      'rikkahub#1690: reasoning in plain text goes back as such',
      [
        assistant(
          {
            type: 'thinking',
            thinking: 'Hm',
            _given: { as: 'content', message: { id: 'rs_1', before: 'msg_1' } },
          },
          say('Ok.', { id: 'msg_1' }),
        ),
      ],
      [
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
        said('msg_1', 'Ok.'),
      ],
    ],
    [
      'Agora#141: an empty summary is sent',
      [assistant(thought('rs_1', 'msg_1', { thinking: '' }), say('Ok.', { id: 'msg_1' }))],
      [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc-rs_1' }, said('msg_1', 'Ok.')],
    ],
    [
      'an item of a server’s tool goes back as it came, between its reasoning',
      [
        assistant(
          thought('rs_1', 'ws_1'),
          {
            type: 'redacted_thinking',
            _given: { message: { item: { type: 'web_search_call', id: 'ws_1' } } },
          },
          thought('rs_2', 'msg_1'),
          say('Ok.', { id: 'msg_1' }),
        ),
      ],
      [reasoning('rs_1'), { type: 'web_search_call', id: 'ws_1' }, reasoning('rs_2'), said('msg_1', 'Ok.')],
    ],
    [
      'images and documents stand before the text',
      [user(image, pdf, say('what?'))],
      [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'data:image/png;base64,aW1n', detail: 'auto' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,cGRm' },
            { type: 'input_text', text: 'what?' },
          ],
        },
      ],
    ],
    [
      'a result has its image',
      [assistant(use('a')), user(result('a', [say('x'), image]))],
      [
        call('a'),
        output('a', [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: 'data:image/png;base64,aW1n', detail: 'auto' },
        ]),
      ],
    ],
    [
      'the id of a call that its server gave goes back',
      [assistant({ ...use('ours'), _given: { id: 'theirs!' } }), user(result('ours'))],
      [call('theirs!'), output('theirs!', 'got ours')],
    ],
  ])('%s', (_name, messages, items) => {
    expect(toInput(messages, rules)).toEqual(items);
  });

  test('a request repeats the items of the one before', () => {
    const messages = [user(say('hi')), assistant(use('a')), user(result('a'))];
    const first = toInput(messages, rules);
    const second = toInput([...messages, assistant(say('Ok.'))], rules);
    for (const [at, one] of first.entries()) expect(second[at]).toBe(one);
  });
});

describe('toBody', () => {
  const bodyOf = (more: Partial<ModelRequest> = {}) =>
    JSON.parse(
      toBody(
        modelRequest({ provider: 'openai-responses', model: 'm', ...more }),
        'https://api.openai.com/v1',
      ),
    );
  const schema = { type: 'object', properties: { paths: { type: 'array' } }, required: [] };
  const tools = [{ name: 'look', description: 'x'.repeat(2_000), input_schema: schema }];

  test('tools are not strict, and follow the rules of the server', () => {
    const [tool] = bodyOf({ tools }).tools;
    expect(tool).toMatchObject({
      ...{ type: 'function', name: 'look', strict: false },
      parameters: { properties: { paths: { type: 'array', items: {} } } },
    });
    expect(tool.description).toHaveLength(1_024);
    expect(() => bodyOf({ tools: Array.from({ length: 129 }, () => tools[0] as never) })).toThrow(
      'at most 128 tools',
    );
  });

  test('server tools stand before those of the agent', () => {
    const serverTools = [{ type: 'web_search' }];
    expect(bodyOf({ tools, serverTools }).tools.map(({ type }: { type: string }) => type)).toEqual([
      'web_search',
      'function',
    ]);
  });

  test('a limit of output below 16 is 16, and an empty prompt is left out', () => {
    const body = bodyOf({ maxTokens: 4, system: '' });
    expect(body.max_output_tokens).toBe(16);
    expect(body).not.toHaveProperty('instructions');
    expect(body).not.toHaveProperty('tools');
  });

  test('the agent’s own fields are sent, and add to `include`', () => {
    expect(
      bodyOf({
        request: { reasoning: { effort: 'low' }, include: ['web_search_call.action.sources'], store: true },
      }),
    ).toMatchObject({
      reasoning: { effort: 'low' },
      include: ['web_search_call.action.sources', 'reasoning.encrypted_content'],
      store: false,
    });
    expect(bodyOf({ serverRules: ['no_encrypted_reasoning'] })).not.toHaveProperty('include');
  });
});
