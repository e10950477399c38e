import { expect, test } from 'vitest';
import { rulesOf } from '../../../shared/models/dialects.ts';
import { toChatTools } from '../../../shared/models/openai/tools.ts';
import { callOpenai, modelRequest } from '../../support/model-call.ts';
import { modelServer, reply, status } from '../../support/model-server.ts';
import { completion, says } from '../../support/openai-events.ts';

const rulesAt = (baseUrl: string) => rulesOf({ provider: 'openai', baseUrl, model: 'm' });
const openai = rulesAt('https://api.openai.com/v1');
const unknown = rulesAt('http://localhost:8000/v1');
const tool = (description: string, input_schema: object = { type: 'object' }) => ({
  name: 'tool',
  description,
  input_schema: { ...input_schema },
});
const formed = (one: ReturnType<typeof tool>, rules = openai) => toChatTools([one], rules)?.[0]?.function;

test("a description is cut to the server's limit, with a mark, and never in a surrogate pair", () => {
  const cut = formed(tool('x'.repeat(1_500)))?.description ?? '';
  expect(cut).toHaveLength(1_024);
  expect(cut).toMatch(/x … \[cut\]$/);
  for (const before of [0, 1]) {
    const pairs = formed(tool('y'.repeat(before) + '😀'.repeat(800)))?.description ?? '';
    expect(pairs.length).toBeLessThanOrEqual(1_024);
    expect(pairs.isWellFormed()).toBe(true);
  }
  expect(formed(tool('x'.repeat(1_024)))?.description).toBe('x'.repeat(1_024));
  expect(formed(tool('x'.repeat(1_500)), unknown)?.description).toHaveLength(1_500);
});

test('an array without items gets some, wherever a schema may be, and data stays as it is', () => {
  const list = { type: 'array' };
  const schema = {
    type: 'object',
    properties: {
      items: list,
      type: { type: ['array', 'null'] },
      deep: { anyOf: [list, { type: 'array', items: { type: 'array', items: list } }] },
      said: { type: 'object', default: list, enum: [list], const: list },
    },
    $defs: { one: list },
  };
  const full = { type: 'array', items: {} };
  expect(formed(tool('', schema))?.parameters).toEqual({
    type: 'object',
    properties: {
      items: full,
      type: { type: ['array', 'null'], items: {} },
      deep: { anyOf: [full, { type: 'array', items: { type: 'array', items: full } }] },
      said: { type: 'object', default: list, enum: [list], const: list },
    },
    $defs: { one: full },
  });
  expect(formed(tool('', schema), unknown)?.parameters).toEqual(schema);
});

test('a server that makes grammars of schemas gets them without patterns, formats and lengths', () => {
  const text = {
    type: 'string',
    description: 'd',
    pattern: 'a+',
    format: 'email',
    minLength: 1,
    maxLength: 10_000,
  };
  const rules = { ...unknown, plainSchemas: true };
  const schema = {
    type: 'object',
    properties: {
      pattern: text,
      list: { type: 'array', items: { anyOf: [text, { enum: ['a'] }] }, maxItems: 100 },
    },
    required: ['pattern'],
  };
  const plain = { type: 'string', description: 'd' };
  expect(formed(tool('', schema), rules)?.parameters).toEqual({
    type: 'object',
    properties: { pattern: plain, list: { type: 'array', items: { anyOf: [plain, { enum: ['a'] }] } } },
    required: ['pattern'],
  });
  const simple = { type: 'object', properties: { n: { type: 'number' } } };
  const { parameters } = formed(tool('', simple), rules) ?? {};
  expect(parameters).toEqual(simple);
});

test.each([
  ["JSON schema conversion failed:\nPattern must start with '^' and end with '$'"],
  ['Failed to initialize samplers: failed to parse grammar'],
])(
  'llama.cpp that refuses a schema with %j is asked again without its pattern (openclaw/openclaw#113562)',
  async (message) => {
    const error = { code: 400, message, type: 'invalid_request_error' };
    await using server = await modelServer(status(400, {}, { error }), reply(completion(says('Nine.'))));
    const schema = { type: 'object', properties: { day: { type: 'string', pattern: '[0-9]' } } };
    const request = modelRequest({
      provider: 'openai',
      model: 'gpt-test-1',
      tools: [tool('Looks.', schema)],
    });
    const { outcome } = await callOpenai(server.url, { request });
    expect(outcome).toMatchObject({ kind: 'reply', learned: [{ rule: 'plain_schemas' }] });
    expect(server.requests.map(({ raw }) => raw.includes('"pattern"'))).toEqual([true, false]);
  },
);

test('a tool is converted once for each kind of server', () => {
  const one = tool('x'.repeat(2_000));
  expect(toChatTools([one], openai)?.[0]).toBe(toChatTools([one], openai)?.[0]);
  expect(toChatTools([one], unknown)?.[0]).not.toBe(toChatTools([one], openai)?.[0]);
});

test('more tools than the server accepts make no request', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ ...tool(''), name: `t${n}` }));
  expect(toChatTools(many(128), openai)).toHaveLength(128);
  expect(() => toChatTools(many(129), openai)).toThrow(/at most 128 tools, and the agent has 129/);
  expect(toChatTools(many(129), unknown)).toHaveLength(129);
});
