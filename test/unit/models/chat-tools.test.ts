import { expect, test } from 'vitest';
import { rulesOf } from '../../../shared/models/dialects.ts';
import { toChatTools } from '../../../shared/models/openai/tools.ts';

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
