import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formOf } from '../../../../shared/agent/tools/forms/form.ts';
import { keyName } from '../../../../shared/agent/tools/forms/keys.ts';
import { withOwnKeys } from '../../../../shared/agent/tools/forms/own-keys.ts';
import { loadReaders } from '../../../../shared/agent/tools/json-schema.ts';
import { below, refusalOf } from '../../reports/tools.fixture.ts';

const readerOf = await loadReaders();

/** The form of a schema that has one. */
function formed(schema: unknown) {
  const made = formOf(schema);
  if (made.kind === 'none') throw new Error(made.why);
  return made.form;
}

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'StartTime<', 'a b', '', '__proto__', 'required', 'ключ'),
  fc.string({ maxLength: 5 }),
);
const keyword = fc.constantFrom(
  ...[
    'type',
    'properties',
    'required',
    'items',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'if',
    'then',
    '$ref',
    '$defs',
  ],
  ...[
    'definitions',
    'enum',
    'const',
    'minimum',
    'exclusiveMinimum',
    'pattern',
    'patternProperties',
    'default',
  ],
  ...[
    'additionalProperties',
    'dependencies',
    'nullable',
    'title',
    'prefixItems',
    '$id',
    '$anchor',
    '$schema',
  ],
);
const ref = fc.constantFrom(
  '#',
  '#/',
  '#/$defs/a',
  '#/$defs/b',
  '#/definitions/a',
  '#/properties/a',
  '#/anyOf/0',
  '#foo',
  'http://x/y',
  '#/%zz',
);
/** Schemas and other values, as servers have sent them and worse. */
const { odd } = fc.letrec((tie) => ({
  odd: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>({}, true, false, { type: 'string' }, { type: 'object' }, 'string', null, 4),
    fc.record({ $ref: ref }),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'int', ['object', 'null'], [], 'Foo'),
        properties: fc.dictionary(key, tie('odd'), { maxKeys: 3 }),
        required: fc.oneof(fc.array(key, { maxLength: 2 }), fc.constant(true)),
        anyOf: fc.array(tie('odd'), { maxLength: 3 }),
        oneOf: fc.array(tie('odd'), { maxLength: 3 }),
        allOf: fc.array(tie('odd'), { maxLength: 2 }),
        $defs: fc.dictionary(fc.constantFrom('a', 'b', 'c d'), tie('odd'), { maxKeys: 2 }),
        definitions: fc.dictionary(fc.constantFrom('a', 'b', 'c d'), tie('odd'), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(
      keyword,
      fc.oneof(
        tie('odd'),
        fc.array(tie('odd'), { maxLength: 2 }),
        fc.constantFrom<unknown>('(', -1, Number.NaN),
      ),
      { maxKeys: 4 },
    ),
  ),
}));

/** References of a form that lead to no definition of it. */
function lost(form: unknown, root = form as Record<string, unknown>): string[] {
  if (typeof form !== 'object' || form === null) return [];
  const { $ref: to } = form as { $ref?: unknown };
  const name = typeof to === 'string' ? to.replace('#/$defs/', '') : undefined;
  const isLost = name !== undefined && name !== '#' && !Object.hasOwn((root.$defs ?? {}) as object, name);
  return [...(isLost ? [String(to)] : []), ...below(form).flatMap((inner) => lost(inner, root))];
}

test('the form of anything is accepted by strict servers, can be read, and is its own form', () => {
  fc.assert(
    fc.property(odd, (schema) => {
      const made = formOf(schema);
      if (made.kind === 'none') return;
      const { form } = made;
      expect(refusalOf([{ name: 't', description: 'd', input_schema: form.schema }])).toBeUndefined();
      expect(lost(form.schema)).toEqual([]);
      for (const one of [form.schema, form.original ?? {}]) readerOf(one).safeParse({ a: 1, b: [] });
      expect(formOf(form.schema)).toEqual({ kind: 'formed', form: { schema: form.schema } });
      expect(JSON.stringify(formed(form.schema).schema)).toBe(JSON.stringify(form.schema));
    }),
    { numRuns: 1_000 },
  );
});

/** A valid object schema with a value that fits it, with keys of any kind. */
const leaf = fc.constantFrom<[object, unknown]>(
  [{ type: 'string' }, 'x'],
  [{ type: 'integer', minimum: 0 }, 7],
  [{ type: 'array', items: { type: 'boolean' } }, [true]],
  [{ enum: ['p', 'q'] }, 'q'],
  [{}, { any: null }],
);
const branch = fc
  .dictionary(key, leaf, { minKeys: 1, maxKeys: 3 })
  .map((parts): [object, Record<string, unknown>] => {
    const entries = Object.entries(parts);
    const properties = Object.fromEntries(entries.map(([name, [schema]]) => [name, schema]));
    const value = Object.fromEntries(entries.map(([name, [, fits]]) => [name, fits]));
    return [{ type: 'object', properties, required: Object.keys(properties) }, value];
  });
const sound = fc.oneof(
  branch,
  fc
    .array(branch, { minLength: 1, maxLength: 3 })
    .map(([first, ...others]): [object, Record<string, unknown>] => [
      { anyOf: [first, ...others].map((one) => ({ ...one?.[0], additionalProperties: false })) },
      first?.[1] ?? {},
    ]),
  fc.tuple(branch, branch).map(([a, b]): [object, Record<string, unknown>] => [
    { type: 'object', properties: { rows: { type: 'array', items: a[0] }, one: b[0] } },
    { rows: [a[1], a[1]], one: b[1] },
  ]),
);

const inForm = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inForm);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [keyName(name), inForm(inner)]));
};

test("a value that fits the original fits the form with the form's names, and maps back unchanged", () => {
  fc.assert(
    fc.property(sound, ([schema, value]) => {
      const { schema: form, original = form, keys } = formed(schema);
      expect(readerOf(original).safeParse(value).success).toBe(true);
      const written = inForm(value);
      expect(readerOf(form).safeParse(written).error?.issues).toBeUndefined();
      expect(withOwnKeys(written, keys)).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

describe('a form', () => {
  test.each([
    { type: 'object', properties: {} },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: ['string', 'null'] } },
      required: ['a'],
    },
    {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/tree' } },
      $defs: {
        tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
      },
    },
    {
      type: 'object',
      properties: {
        at: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }], default: null },
      },
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^a+$', 'x-own': [1] } },
      minProperties: 1,
    },
  ])('of a valid schema is the schema, byte for byte: %j', (schema) => {
    expect(JSON.stringify(formed(schema))).toBe(JSON.stringify({ schema }));
  });

  test('is made with bounded work from a schema that is cyclic, doubles with each reference, or is a hundred thousand levels deep', () => {
    const cyclic: Record<string, unknown> = { type: 'object' };
    cyclic.properties = { a: cyclic, b: cyclic };
    expect(formOf(cyclic)).toMatchObject({ kind: 'none', why: 'has a schema that is too large' });
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    const whole = {
      $ref: '#/$defs/d0',
      $defs: { ...doubling, d40: { type: 'object', properties: { a: { type: 'string' } } } },
    };
    expect(formed(whole).schema.properties).toEqual({ a: { type: 'string' } });
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(100_000)}{}${'}}'.repeat(100_000)}`);
    expect(JSON.stringify(formed({ type: 'object', ...deep }).schema).length).toBeLessThan(3_000);
  });

  test('lists at most a thousand values of an enum, and checks calls against all of them', () => {
    const values = Array.from({ length: 5_000 }, (_, n) => `v${n}`);
    const { schema, original } = formed({ type: 'object', properties: { v: { enum: values } } });
    expect(schema.properties).toEqual({
      v: {
        type: 'string',
        description: expect.stringMatching(/^One of 5000 values, for example "v0", "v1"/),
      },
    });
    expect(original).toEqual({ type: 'object', properties: { v: { enum: values } } });
  });

  test('has whole characters only', () => {
    const { schema } = formed({
      type: 'object',
      properties: { a: { description: 'half \ud83d' } },
      title: '\udc00',
    });
    expect(JSON.stringify(schema)).not.toMatch(/\\ud[89a-f]/i);
  });
});
