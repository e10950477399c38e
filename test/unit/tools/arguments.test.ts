import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parseLeniently } from '../../../shared/agent/plain/lenient-json.ts';
import { readCalls } from '../../../shared/agent/tools/read-calls.ts';
import { calls } from '../../../testing/scripted-model.ts';

const read = (schema: object, input: unknown) => {
  const asked = calls(['get', {}]);
  if (asked.kind !== 'reply') throw new Error('no reply');
  const [call] = asked.reply.calls;
  if (!call) throw new Error('no call');
  const reply = { ...asked.reply, calls: [{ ...call, input }] };
  const pinned = { tools: [{ name: 'get', description: '', input_schema: { ...schema } }] };
  return readCalls(reply, pinned).calls[0]?.input;
};

const find = z.toJSONSchema(
  z.object({
    q: z.string(),
    limit: z.int().optional(),
    exact: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    unit: z.enum(['celsius', 'kelvin']).optional(),
    filter: z.object({ from: z.number().optional(), kinds: z.array(z.int()).optional() }).optional(),
    note: z.string().nullish(),
  }),
  { io: 'input' },
);

describe('values that the schema refuses are read as the only thing they can mean', () => {
  test.each<[string, unknown, unknown]>([
    ['null for an optional property', { q: 'x', limit: null }, { q: 'x' }],
    ['null deep inside', { q: 'x', filter: { from: null } }, { q: 'x', filter: {} }],
    ['empty text for an optional number', { q: 'x', limit: '' }, { q: 'x' }],
    ['None as text for an optional array', { q: 'x', tags: 'None' }, { q: 'x' }],
    ['a number as text', { q: 'x', limit: '5' }, { q: 'x', limit: 5 }],
    ['a boolean as text of Python', { q: 'x', exact: 'True' }, { q: 'x', exact: true }],
    ['a boolean as text', { q: 'x', exact: 'false' }, { q: 'x', exact: false }],
    ['an array as JSON text', { q: 'x', tags: '["a","b"]' }, { q: 'x', tags: ['a', 'b'] }],
    ['an array as a literal of Python', { q: 'x', tags: "['a', 'b']" }, { q: 'x', tags: ['a', 'b'] }],
    ['one value for an array', { q: 'x', tags: 'a' }, { q: 'x', tags: ['a'] }],
    ['an object as JSON text', { q: 'x', filter: '{"from":"3"}' }, { q: 'x', filter: { from: 3 } }],
    ['an object as text of text', { q: 'x', filter: '"{\\"from\\":3}"' }, { q: 'x', filter: { from: 3 } }],
    ['numbers in an array', { q: 'x', filter: { kinds: ['1', 2] } }, { q: 'x', filter: { kinds: [1, 2] } }],
    ['a fixed text in another case', { q: 'x', unit: 'Celsius' }, { q: 'x', unit: 'celsius' }],
  ])('%s', (_name, written, meant) => {
    expect(read(find, written)).toEqual(meant);
  });

  test.each<[string, unknown]>([
    ['null where it is allowed', { q: 'x', note: null }],
    ['null for a required property', { q: null }],
    ['null for a property that the schema does not name', { q: 'x', other: null }],
    ['JSON text for a text property', { q: '["a"]' }],
    ['a number as text for a text property', { q: '5' }],
    ['an array for a text', { q: ['x'] }],
    ['a number for a text', { q: 42 }],
    ['a text that may be a list', { q: 'x', tags: 'a, b' }],
    ['a fraction for an integer', { q: 'x', limit: '3.5' }],
    ['a number with a unit', { q: 'x', limit: '5 km' }],
    ['more digits than a number holds', { q: 'x', limit: '2512292042121000001' }],
    ['a word for a boolean', { q: 'x', exact: 'maybe' }],
  ])('left as it is: %s', (_name, written) => {
    expect(read(find, written)).toBe(written);
  });

  test('a union is read by the only branch that fits', () => {
    const branch = (kind: string, more: object) => ({
      type: 'object',
      properties: { kind: { const: kind }, ...more },
      required: ['kind'],
    });
    const schema = {
      type: 'object',
      properties: {
        at: {
          oneOf: [
            branch('day', { day: { type: 'integer' } }),
            branch('name', { day: { type: 'string' } }),
            { type: 'null' },
          ],
        },
      },
    };
    expect(read(schema, { at: { kind: 'day', day: '5' } })).toEqual({ at: { kind: 'day', day: 5 } });
    const text = { at: { kind: 'name', day: '5' } };
    expect(read(schema, text)).toBe(text);
    const either = { type: 'object', properties: { id: { type: ['integer', 'string'] } } };
    expect(read(either, { id: '5' })).toEqual({ id: '5' });
  });

  test('references are followed, also those that lead to themselves', () => {
    const node = {
      type: 'object',
      properties: { n: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
      required: ['n'],
    };
    const schema = { $ref: '#/$defs/node', $defs: { node, loop: { $ref: '#/$defs/loop' } } };
    expect(read(schema, { n: '1', next: { n: '2', next: null } })).toEqual({ n: 1, next: { n: 2 } });
    const odd = { type: 'object', properties: { n: { $ref: '#/$defs/loop' } }, $defs: schema.$defs };
    expect(read(odd, { n: '1' })).toEqual({ n: '1' });
  });

  test('a schema of many unions costs bounded work', () => {
    const union = (depth: number): object =>
      depth === 0 ? { type: 'integer' } : { anyOf: Array.from({ length: 60 }, () => union(depth - 1)) };
    const shared = union(2);
    const schema = {
      type: 'object',
      properties: { n: { anyOf: Array.from({ length: 60 }, () => ({ anyOf: [shared, shared, shared] })) } },
    };
    expect(read(schema, { n: 'x' })).toEqual({ n: 'x' });
  });
});

describe('arguments that are wrapped', () => {
  test.each<[string, unknown]>([
    ['JSON text', '{"q":"x","limit":5}'],
    ['JSON text of JSON text', JSON.stringify('{"q":"x","limit":5}')],
    ['an array of it', [{ q: 'x', limit: 5 }]],
    ['under "arguments"', { arguments: { q: 'x', limit: 5 } }],
    ['under "input", as text', { input: '{"q":"x","limit":5}' }],
    ['with the name of the tool', { name: 'get', parameters: { q: 'x', limit: 5 } }],
    ['a trailing comma', '{"q":"x","limit":5,}'],
    ['single quotes', "{'q': 'x', 'limit': 5}"],
    ['a fence', '```json\n{"q":"x","limit":5}\n```'],
    ['an extra brace', '{"q":"x","limit":5}}'],
    ['a template token after it', '{"q":"x","limit":5}<|call|>'],
    ['keys without quotes', '{q: "x", limit: 5}'],
  ])('%s', (_name, written) => {
    expect(read(find, written)).toEqual({ q: 'x', limit: 5 });
  });

  test('null, for a tool without required input', () => {
    expect(read({ type: 'object', properties: {} }, null)).toEqual({});
  });

  test.each<[string, unknown]>([
    ['several objects', [{ q: 'x' }, { q: 'y' }]],
    ['text that was cut', '{"q":"x","limit":'],
    ['a text', 'x'],
    ['a wrapper with another key beside it', { arguments: { q: 'x' }, limit: 5 }],
    ['a wrapper around properties that the tool does not have', { input: { query: 'x' } }],
    ['the name of another tool', { name: 'other', arguments: { q: 'x' } }],
  ])('left as they are: %s', (_name, written) => {
    expect(read(find, written)).toBe(written);
  });

  test('a tool that accepts any property gets its arguments as written', () => {
    const written = { input: { q: 'x' } };
    expect(read({ type: 'object', properties: { q: {} }, additionalProperties: true }, written)).toBe(
      written,
    );
    expect(read({ type: 'object', properties: { input: {}, q: {} } }, written)).toBe(written);
  });
});

describe('JSON with small faults', () => {
  test.each<[string, unknown]>([
    ['{"a": "line\nbreak"}', { a: 'line\nbreak' }],
    ['{"re": "\\d+ \\" \\n"}', { re: '\\d+ " \n' }],
    ["{'a': 'it\\'s \"so\"', 'b': None}", { a: 'it\'s "so"', b: null }],
    ['{"a": [1, 2,], "b": True,}', { a: [1, 2], b: true }],
    ['{"a": "True, None"}', { a: 'True, None' }],
    ['{"id": 2512292042121000001,}', { id: '2512292042121000001' }],
  ])('%s is read', (text, value) => {
    expect(parseLeniently(text)).toEqual(value);
  });

  test.each([
    '{"a": "b',
    '{"a": {"b": 1}',
    '{"a": "he said "no" to it"}',
    '{"a": 1}{"b": 2}',
    '{"a": 1 "b": 2}',
    '{"a": b}',
    '{"a": "\\u12"}',
  ])('%s has no single reading', (text) => {
    expect(parseLeniently(text)).toBeUndefined();
  });
});
