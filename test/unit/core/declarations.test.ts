import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Read, readListing } from '../../../shared/agent/tools/declarations.ts';
import { loadReaders } from '../../../shared/agent/tools/json-schema.ts';
import type { ReaderOf } from '../../../shared/agent/tools/source.ts';

let readerOf: ReaderOf;
beforeAll(async () => {
  readerOf = await loadReaders();
});

const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const find = { name: 'find', description: 'Finds one.', input };
const read = (listed: unknown, taken: string[] = [], queue?: boolean): Read =>
  readListing({ name: 'shop', ...(queue !== undefined && { queue }) }, listed, taken, readerOf);

describe('the tools that a source lists', () => {
  test('are kept as data, under the name that the model calls, and are once and inline by default', () => {
    expect(read([find])).toEqual({
      kind: 'read',
      source: { tools: [{ name: 'shop__find', listedAs: 'find', effect: 'once', where: 'inline' }] },
      tools: [{ name: 'shop__find', description: 'Finds one.', input_schema: input }],
    });
    const all = { ...find, effect: 'read', where: 'queue', approval: 'never', timeoutSeconds: 5 };
    expect(read([all], [], true)).toMatchObject({
      source: { tools: [{ effect: 'read', where: 'queue', approval: 'never', timeoutSeconds: 5 }] },
    });
  });

  test('may use zod, which is kept as JSON Schema', () => {
    expect(read([{ ...find, input: z.object({ n: z.number().min(1) }) }])).toMatchObject({
      tools: [{ input_schema: { type: 'object', properties: { n: { type: 'number', minimum: 1 } } } }],
    });
  });

  test('get names that model servers accept', () => {
    const nameOf = (name: string) => {
      const listing = read([{ ...find, name }]);
      return listing.kind === 'read' ? listing.tools[0]?.name : listing.why;
    };
    expect(nameOf('repos/list.all')).toBe('shop__repos_list_all');
    expect(nameOf('x'.repeat(100))).toMatch(/^shop__x{49}_[0-9a-f]{8}$/);
    expect(nameOf('日本')).toBe('shop____');
  });

  test.each<[string, unknown, string]>([
    ['not an array', { tools: [] }, 'does not list an array'],
    ['nothing', undefined, 'does not list an array'],
    ['an invalid effect', [{ ...find, effect: 'readonly' }], 'effect'],
    ['an invalid place', [{ ...find, where: 'person' }], 'where'],
    ['a function for an approval', [{ ...find, approval: () => true }], 'approval'],
    ['a time that is too long', [{ ...find, timeoutSeconds: 900 }], 'timeoutSeconds'],
    ['an unknown key', [{ ...find, efect: 'read' }], 'did you mean "effect"'],
    ['no name', [{ description: 'x', input }], 'its tool #1 is declared wrongly'],
    ['null', [null], 'its tool #1 is declared wrongly'],
    ['a queue that the source does not declare', [{ ...find, where: 'queue' }], 'queue: true'],
    ['no input', [{ name: 'x', description: 'x' }], 'input'],
    ['an input that is not an object', [{ ...find, input: { type: 'string' } }], 'object'],
    ['too much', [{ ...find, description: 'é'.repeat(100_001) }], 'bytes of JSON; at most 100000'],
  ])('are refused: %s', (_, listed, why) => {
    expect(read(listed)).toMatchObject(
      why === '' ? {} : { kind: 'wrong', why: expect.stringContaining(why) },
    );
  });

  test('are at most 2,000: the rest is left out, by name', () => {
    const listed = Array.from({ length: 2_001 }, (_, i) => ({ ...find, name: `t${i}` }));
    const listing = read(listed);
    expect(listing).toMatchObject({
      kind: 'read',
      source: { omitted: [{ tool: 't2000', why: expect.stringContaining('comes after 2000 others') }] },
    });
    expect(listing.kind === 'read' && listing.tools).toHaveLength(2_000);
  });
});

describe('an input that is JSON Schema', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['id'],
    properties: {
      id: { type: 'string', minLength: 2 },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    },
    $defs: { line: { type: 'object', required: ['sku'], properties: { sku: { type: 'integer' } } } },
  };

  test('matches its schema', () => {
    const value = { id: 'ab', lines: [{ sku: 1 }] };
    expect(readerOf(schema).parse(value)).toEqual(value);
  });

  test.each<[unknown, string[]]>([
    [{}, ['id']],
    [{ id: 'a' }, ['too short', '→ at id']],
    [{ id: 'ab', lines: [{ sku: 'x' }] }, ['→ at lines.0.sku']],
    [{ id: 'ab', more: 1 }, ['more']],
    ['{"id":"ab"}', ['type']],
    [null, ['type']],
  ])('does not match %j', (value, why) => {
    const { success, error } = readerOf(schema).safeParse(value);
    expect(success).toBe(false);
    for (const part of why) expect(z.prettifyError(error ?? new z.ZodError([]))).toContain(part);
  });

  test('that refers to itself for ever is a schema error, not a worker error', () => {
    expect(() =>
      readerOf({ type: 'object', $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }),
    ).toThrow();
  });
});
