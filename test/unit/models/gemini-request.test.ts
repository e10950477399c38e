import { describe, expect, test } from 'vitest';
import type { Message, ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Block } from '../../../shared/agent/session/slots.ts';
import { toBody } from '../../../shared/models/gemini/request.ts';
import { signature } from '../../support/gemini-events.ts';
import { modelRequest } from '../../support/model-call.ts';
import { refusalOf } from '../../support/strict/refusal.ts';

/** The body of a request. */
const bodyOf = (more: Partial<ModelRequest> = {}) =>
  JSON.parse(toBody(modelRequest({ provider: 'gemini', model: 'gemini-test-3', ...more })));

/** The body of a request, which a strict server accepts. */
function sent(more: Partial<ModelRequest> = {}) {
  const body = bodyOf(more);
  expect(refusalOf(body, JSON.stringify(body), 'generate')).toBeUndefined();
  return body;
}

const text = (words: string, more = {}): Block => ({ type: 'text', text: words, ...more });
const user = (...content: Block[]): Message => ({ role: 'user', content });
const model = (...content: Block[]): Message => ({ role: 'assistant', content });
const call = (id: string, more = {}): Block => ({
  type: 'tool_use',
  id,
  name: 'get',
  input: { n: 1 },
  ...more,
});
const result = (id: string, content: unknown = 'done', more = {}): Block => ({
  ...{ type: 'tool_result', tool_use_id: id, content },
  ...more,
});
const file = (type: string, media_type: string): Block => ({
  ...{ type, source: { type: 'base64', media_type, data: 'iVBO' } },
});
const png = file('image', 'image/png');
const pdf = file('document', 'application/pdf');
const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'iVBO' } });
const tool = {
  name: 'get',
  description: 'Gets.',
  input_schema: { $schema: 'x', type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 0 } } },
};
const contents = (...messages: Message[]) => sent({ messages, tools: [tool] }).contents;
const STAND_IN = 'skip_thought_signature_validator';
const signed = (words: string) => ({ thoughtSignature: signature(words) });
/** The block that keeps a signature of another part. */
const keeps = (words: string, of: string): Block => ({
  ...{ type: 'thinking', thinking: '', signature: signature(words) },
  _given: { message: { of } },
});

describe('fields', () => {
  test('has neither model nor stream, which are in the address', () => {
    expect(sent({ request: { stream: false } })).toEqual({
      systemInstruction: { parts: [{ text: 'You are a clock.' }] },
      generationConfig: { maxOutputTokens: 1000 },
      contents: [{ role: 'user', parts: [{ text: 'What time is it in Lisbon?' }] }],
    });
  });

  test("keeps the agent's own fields, and sets what is the agent's", () => {
    const request = {
      generationConfig: { temperature: 0, maxOutputTokens: 1, thinkingConfig: { thinkingLevel: 'low' } },
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      contents: [],
    };
    expect(sent({ request, tools: [tool] })).toMatchObject({
      generationConfig: { temperature: 0, maxOutputTokens: 1000, thinkingConfig: { thinkingLevel: 'low' } },
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      contents: [{ role: 'user' }],
    });
  });

  test('a blank system prompt is left out (songquanpeng/one-api#2243)', () => {
    expect(sent({ system: ' \n' })).not.toHaveProperty('systemInstruction');
  });

  test('more than 512 tools are not sent (google-gemini/gemini-cli#19083)', () => {
    const tools = Array.from({ length: 513 }, (_, n) => ({ ...tool, name: `get${n}` }));
    expect(() => bodyOf({ tools })).toThrow("Gemini's API takes at most 512 tools, and the agent has 513.");
    expect(sent({ tools: tools.slice(1) }).tools[0].functionDeclarations).toHaveLength(512);
  });
});

describe('functions', () => {
  const schemaOf = (input_schema: Record<string, unknown>) =>
    sent({ tools: [{ ...tool, input_schema }] }).tools[0].functionDeclarations[0].parametersJsonSchema;

  test('have JSON Schema, because `parameters` refuses most keywords (pizza-bot-app/pizza-bot#62)', () => {
    const properties = {
      n: { type: 'integer', exclusiveMinimum: 0, multipleOf: 2 },
      how: { anyOf: [{ const: 'a' }, { type: ['string', 'null'], pattern: '^b' }] },
      all: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    };
    const schema = { type: 'object', properties, additionalProperties: false, required: ['n'] };
    expect(schemaOf({ $schema: 'x', $id: 'y', ...schema })).toEqual(schema);
  });

  test('without parameters have no schema', () => {
    const bare = { ...tool, input_schema: { type: 'object', properties: {} } };
    expect(sent({ tools: [bare] }).tools).toEqual([
      { functionDeclarations: [{ name: 'get', description: 'Gets.' }] },
    ]);
  });

  test('have targets in place of references (google-gemini/gemini-cli#13326, anomalyco/opencode#12295)', () => {
    const place = { type: 'object', properties: { city: { $ref: '#/$defs/City' } }, required: ['city'] };
    expect(
      schemaOf({
        type: 'object',
        properties: { from: { $ref: '#/$defs/Place', description: 'From.' }, $ref: { type: 'string' } },
        $defs: { Place: place, City: { type: 'string', minLength: 1 } },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        from: { ...place, properties: { city: { type: 'string', minLength: 1 } }, description: 'From.' },
        $ref: { type: 'string' },
      },
    });
  });

  test('end where a schema repeats itself', () => {
    const node = {
      ...{ type: 'object', description: 'A node.' },
      properties: { next: { $ref: '#/$defs/Node' }, root: { $ref: '#' } },
    };
    expect(
      schemaOf({ type: 'object', properties: { first: { $ref: '#/$defs/Node' } }, $defs: { Node: node } }),
    ).toEqual({
      type: 'object',
      properties: {
        first: {
          ...node,
          properties: { next: { type: 'object', description: 'A node.' }, root: { type: 'object' } },
        },
      },
    });
  });

  test('end where references would fill the request', () => {
    const branch = (name: string) => ({
      ...{ type: 'object' },
      properties: Object.fromEntries(
        Array.from({ length: 9 }, (_, n) => [`p${n}`, { $ref: `#/$defs/${name}` }]),
      ),
    });
    const $defs = {
      ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`D${n}`, branch(`D${n + 1}`)])),
      D9: { type: 'string' },
    };
    const made = schemaOf({ ...branch('D0'), $defs });
    expect(JSON.stringify(made).length).toBeLessThan(200_000);
  });
});

describe('contents', () => {
  test('results are a content of their own, before the rest (google-gemini/gemini-cli#16137)', () => {
    expect(
      contents(user(text('hi')), model(text('On it.'), call('a')), user(text('And?'), result('a'))),
    ).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'On it.' },
          { functionCall: { name: 'get', args: { n: 1 } }, thoughtSignature: STAND_IN },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'get', response: { output: 'done' } } }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ]);
  });

  test('an id goes back with its call and its result only if the model gave it (router-for-me/CLIProxyAPI#5199)', () => {
    const [, { parts: calls }, { parts: results }] = contents(
      user(text('hi')),
      model(call('ours', { _given: { id: 'x#1' } }), call('b')),
      user(result('ours'), result('b')),
    );
    expect(calls.map((part: { functionCall: object }) => part.functionCall)).toEqual([
      { id: 'x#1', name: 'get', args: { n: 1 } },
      { name: 'get', args: { n: 1 } },
    ]);
    expect(results[0].functionResponse.id).toBe('x#1');
    expect(results[1].functionResponse).not.toHaveProperty('id');
  });

  test('a failed result is an error, and JSON in a result stays text (vercel/ai#14369)', () => {
    const json = '{"$ref":"#/$defs/A"}';
    const [, , { parts }] = contents(
      user(text('hi')),
      model(call('a'), call('b')),
      user(result('a', json), result('b', 'no', { is_error: true })),
    );
    expect(
      parts.map((part: { functionResponse: { response: object } }) => part.functionResponse.response),
    ).toEqual([{ output: json }, { error: 'no' }]);
  });

  test.each(['', ' \n'])('blank text %j is left out (router-for-me/CLIProxyAPI#1293)', (blank) => {
    expect(
      contents(
        user(text('hi'), text(blank)),
        model(text(blank), call('a')),
        user(result('a', blank), text(blank)),
      ),
    ).toMatchObject([
      { parts: [{ text: 'hi' }] },
      { parts: [{ functionCall: {} }] },
      { parts: [{ functionResponse: { response: {} } }] },
    ]);
  });

  test('begins and ends with the user, and joins replies in a row (crewAIInc/crewAI#6973)', () => {
    const all = contents(model(text('Before.')), user(text('a')), model(text('b')), model(text('c')));
    expect(all.map(({ role }: { role: string }) => role)).toEqual(['user', 'model', 'user', 'model', 'user']);
    expect(all[3].parts).toEqual([{ text: 'b' }, { text: 'c' }]);
  });

  test('images and PDFs go inline, and a GIF is named (microsoft/vscode#286628)', () => {
    const [{ parts }] = contents(user(text('See:'), png, pdf, file('image', 'image/gif')));
    expect(parts).toEqual([
      { text: 'See:' },
      inline('image/png'),
      inline('application/pdf'),
      { text: '(A file of the type image/gif, which this model does not read.)' },
    ]);
  });

  test('a text document is text', () => {
    const csv = {
      type: 'document',
      title: 'a.csv',
      source: { type: 'text', media_type: 'text/csv', data: '1,2' },
    };
    expect(contents(user(csv))[0].parts).toEqual([{ text: 'a.csv:\n1,2' }]);
  });

  test('files of a result are in its response (BerriAI/litellm#29325)', () => {
    const [, , { parts }, ...after] = contents(
      user(text('hi')),
      model(call('a')),
      user(result('a', [text('See:'), png])),
    );
    expect(parts).toEqual([
      { functionResponse: { name: 'get', response: { output: 'See:' }, parts: [inline('image/png')] } },
    ]);
    expect(after).toEqual([]);
  });

  test.each(['gemini-2.5-flash', 'models/gemini-2.0-flash', 'gemma-4-31b-it'])(
    '%s gets files after the results, and no stand-in for a signature (NousResearch/hermes-agent#96466, #36907)',
    (name) => {
      const history = [user(text('hi')), model(call('a')), user(result('a', [text('See:'), png]))];
      expect(bodyOf({ model: name, messages: history, tools: [tool] }).contents.slice(1)).toEqual([
        { role: 'model', parts: [{ functionCall: { name: 'get', args: { n: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'get', response: { output: 'See:' } } }] },
        { role: 'user', parts: [{ text: 'The files in the result of get:' }, inline('image/png')] },
      ]);
    },
  );

  test('a longer history begins with the same bytes', () => {
    const history = [user(text('hi'), pdf), model(call('a')), user(result('a', [png]))];
    const first = contents(...history);
    const second = contents(...history, model(text('b')), user(text('c')));
    expect(second.slice(0, first.length)).toEqual(first);
  });
});

describe('signatures', () => {
  test('go back on exactly their parts, which are not joined (platberlitz/SillyBunny#647)', () => {
    const [, { parts }] = contents(
      user(text('hi')),
      model(
        { type: 'thinking', thinking: 'Hm.', signature: signature('one') },
        { type: 'thinking', thinking: 'Not signed.' },
        text('A'),
        keeps('two', 'text'),
        text('B'),
        keeps('three', 'blank'),
        keeps('four', 'call'),
        call('a'),
        call('b'),
      ),
      user(result('a'), result('b')),
    );
    const functionCall = { name: 'get', args: { n: 1 } };
    expect(parts).toEqual([
      { text: 'Hm.', thought: true, ...signed('one') },
      { text: 'A' },
      { text: 'B', ...signed('two') },
      { text: '', ...signed('three') },
      { functionCall, ...signed('four') },
      { functionCall },
    ]);
  });

  test('of parts that are gone are not sent, nor moved to others', () => {
    const [, { parts }] = contents(
      user(text('hi')),
      model(keeps('one', 'call'), text('On it.'), keeps('two', 'text'), call('a')),
      user(result('a')),
    );
    expect(parts).toMatchObject([{ text: 'On it.' }, { functionCall: {}, thoughtSignature: STAND_IN }]);
    expect(parts[0]).not.toHaveProperty('thoughtSignature');
  });

  test('of another form are not sent, and a call has the stand-in (vertesia/llumiverse#470)', () => {
    const [, { parts }] = contents(
      user(text('hi')),
      model(
        { type: 'thinking', thinking: 'Hm.', signature: 'not base64!' },
        { ...keeps('', 'call'), signature: 'cut%' },
        call('a'),
      ),
      user(result('a')),
    );
    expect(parts).toMatchObject([{ functionCall: {}, thoughtSignature: STAND_IN }]);
  });

  test('of calls that another model has made are stood in for, on the first call of each reply (NousResearch/hermes-agent#15676)', () => {
    const all = contents(
      user(text('hi')),
      model(call('a'), call('b')),
      user(result('a'), result('b')),
      model(call('c')),
      user(result('c')),
    );
    const signatures = all.map(({ parts }: { parts: { thoughtSignature?: string }[] }) =>
      parts.map(({ thoughtSignature }) => thoughtSignature),
    );
    expect(signatures).toEqual([
      [undefined],
      [STAND_IN, undefined],
      [undefined, undefined],
      [STAND_IN],
      [undefined],
    ]);
  });
});
