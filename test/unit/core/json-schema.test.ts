import { beforeAll, describe, expect, test } from 'vitest';
import { loadReaders } from '../../../shared/agent/tools/json-schema.ts';
import type { ReaderOf } from '../../../shared/agent/tools/source.ts';

let readerOf: ReaderOf;
beforeAll(async () => {
  readerOf = await loadReaders();
});

const accepts = (schema: object, value: unknown) =>
  readerOf(schema as Record<string, unknown>).safeParse(value).success;
const mistakeIn = (schema: object, value: unknown) => {
  const { error } = readerOf(schema as Record<string, unknown>).safeParse(value);
  return error?.issues[0]?.message;
};

describe('a value under a JSON Schema', () => {
  test.each<[object, readonly unknown[], readonly unknown[]]>([
    [{ type: 'integer' }, [1, 1.0, -3], [1.5, '1', null]],
    [{ type: ['string', 'null'] }, ['', null], [1, {}]],
    [{ const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, 1]],
    [{ enum: [1, 'a', { b: 1, c: 2 }] }, [1, 'a', { c: 2, b: 1 }], [2, { b: 1 }]],
    [{ minimum: 1, maximum: 3 }, [1, 3, 'x'], [0, 4]],
    [{ minimum: 1, exclusiveMinimum: true }, [2], [1]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
    [{ multipleOf: 0.1 }, [0.3, 1, 12.7], [0.35]],
    [{ multipleOf: 3 }, [9, 0], [10]],
    [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀😀', 5], ['a', 'abcd']],
    [{ pattern: '^[a-z]+$' }, ['abc', 7], ['aB', '']],
    [{ pattern: '\\u0041' }, ['A'], ['u0041']],
    [{ pattern: '^\\s$' }, [' ', '\u00a0', '\ufeff'], ['a']],
    [{ pattern: '^\\S+$' }, ['ab'], ['a\u00a0b']],
    [{ pattern: '\\A\\d+\\z' }, ['12'], ['1a']],
    [{ properties: { a: { type: 'string' } }, required: ['a'] }, [{ a: '' }, []], [{}, { a: 1 }]],
    [{ properties: { a: true }, additionalProperties: false }, [{}, { a: 1 }], [{ b: 1 }]],
    [
      { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: { type: 'string' } },
      [{ 'x-a': 1, b: '' }],
      [{ 'x-a': '' }, { b: 1 }],
    ],
    [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
    [{ dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    [{ dependencies: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }], [{ a: 1 }]],
    [{ items: { type: 'number' }, minItems: 1, maxItems: 2 }, [[1]], [[], ['a'], [1, 2, 3]]],
    [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [['a', 1], [1]]],
    [{ items: [{ type: 'string' }], additionalItems: false }, [['a']], [['a', 1]]],
    [{ contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
    [
      { uniqueItems: true },
      [[1, '1', { a: 1 }, { b: 1 }, { a: 2 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [0, -0],
      ],
    ],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
    [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
    [{ not: { type: 'string' } }, [1], ['a']],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: { minimum: 10 }, then: { multipleOf: 10 }, else: { type: 'integer' } }, [20, 3], [15, 1.5]],
    [
      { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [{ prefixItems: [true], contains: { const: 2 }, unevaluatedItems: false }, [[1, 2]], [[1, 2, 3]]],
    [{ $defs: { 'a/b': { type: 'string' } }, $ref: '#/$defs/a~1b' }, ['x'], [1]],
    [{ $defs: { a: { $anchor: 'here', type: 'string' } }, $ref: '#here' }, ['x'], [1]],
    [{ $defs: { a: { $id: 'https://x.test/a', type: 'string' } }, $ref: 'https://x.test/a' }, ['x'], [1]],
    [
      { properties: { kids: { items: { $ref: '#' } } }, required: ['n'] },
      [{ n: 1, kids: [] }],
      [{ n: 1, kids: [{}] }],
    ],
    [{ format: 'date' }, ['2024-02-29', 5], ['2023-02-29', '2024-2-1']],
    [{ format: 'date-time' }, ['2024-01-01T10:00:00Z', '2024-01-01t10:00:00.5+01:00'], ['2024-01-01']],
    [{ format: 'email' }, ['a@b.c', 'ä@localhost'], ['a', '@b', 'a b@c']],
    [{ format: 'ipv4' }, ['127.0.0.1'], ['256.1.1.1', '1.1.1']],
    [{ format: 'ipv6' }, ['::1', 'fe80::1'], ['1::2::3', 'x']],
    [{ format: 'uuid' }, ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
    [{ format: 'uri' }, ['https://a.b/c?d', 'urn:x:y'], ['a b', '/x']],
    [{ format: 'hostname' }, ['a-b.example'], ['-a', 'a..b']],
    [{ format: 'something' }, ['anything'], []],
  ])('%j', (schema, fit, unfit) => {
    for (const value of fit) expect([value, accepts(schema, value)]).toEqual([value, true]);
    for (const value of unfit) expect([value, accepts(schema, value)]).toEqual([value, false]);
  });

  test.each<[string, object, unknown, string]>([
    ['another type', { type: 'object' }, 'x', 'must be of type object, and is string'],
    ['a missing key', { required: ['id'] }, {}, 'id is required'],
    ['an extra key', { additionalProperties: false }, { extra: 1 }, 'does not know the key extra'],
    ['none of the choices', { enum: ['a', 'b'] }, 'c', 'must be one of ["a","b"]'],
    ['no matching alternative', { anyOf: [{ type: 'null' }] }, 1, 'fits none of the 1 alternatives'],
  ])('is explained in plain words: %s', (_what, schema, value, told) => {
    expect(mistakeIn(schema, value)).toBe(told);
  });

  test.each([
    ['a lookahead', '^(?=.*\\d).+$'],
    ['a lookbehind', '(?<=a)b'],
    ['a backreference', '(a)\\1'],
    ['a named backreference', '(?<x>a)\\k<x>'],
    ['half a surrogate pair', '^\\ud83d\\ude00$'],
    ['too many repetitions', '^.{1,5000}$'],
    ['an invalid expression', '(('],
  ])('is not checked against a pattern that RE2 cannot take: %s', (_what, pattern) => {
    expect(accepts({ pattern }, 'x')).toBe(true);
    expect(accepts({ patternProperties: { [pattern]: false }, additionalProperties: false }, { x: 1 })).toBe(
      true,
    );
  });

  test('accepts anything that refers to another document, which is never fetched', () => {
    expect(accepts({ $ref: 'https://json-schema.org/draft/2020-12/schema' }, { a: 1 })).toBe(true);
  });
});
