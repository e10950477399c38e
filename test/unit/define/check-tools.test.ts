import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool } from '../../../shared/agent/define/index.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { formed } from '../../../shared/agent/step/model/formed.ts';

const agentWith = (input: z.ZodType) =>
  defineAgent({
    name: 'a',
    version: '1',
    model: { name: 'm' },
    system: 's',
    tools: [defineTool({ name: 't', description: 'd', effect: 'read', input, run: () => 'ok' })],
  });

test.each<[string, z.ZodType, string]>([
  [
    'a text',
    z.string(),
    'agent a: tool t: its input is of type string, but the arguments of a call are an object',
  ],
  ['a choice without an object', z.union([z.string(), z.array(z.string())]), 'of type union'],
  ['a date', z.object({ at: z.date() }), 'tool t: its input.at is of type date, which JSON cannot express'],
  [
    'a map in a list',
    z.object({ rows: z.array(z.object({ m: z.map(z.string(), z.string()) })) }),
    'input.rows[].m',
  ],
])('an own tool whose input is %s is refused by defineAgent with a sentence', (_what, input, said) => {
  expect(() => agentWith(input)).toThrow(said);
});

test.each<[string, z.ZodType, object]>([
  ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { a: {}, b: {} }],
  [
    'a union and more',
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).and(z.object({ c: z.number() })),
    { a: {}, b: {}, c: {} },
  ],
  [
    'an intersection of objects',
    z.object({ a: z.string() }).and(z.object({ b: z.number() })),
    { a: {}, b: {} },
  ],
  ['a key that no server accepts', z.object({ 'a b<': z.string() }), { a_b__5778bb43: {} }],
  ['a record', z.record(z.string(), z.number()), {}],
  ['preprocessed', z.preprocess((x) => x, z.object({ a: z.string() })), {}],
  ['a union with one JSON part', z.object({ at: z.union([z.date(), z.string()]) }), { at: {} }],
  ['an optional date', z.object({ at: z.date().optional() }), { at: {} }],
  [
    'a date from text, and a bigint',
    z.object({ at: z.coerce.date(), n: z.bigint() }),
    { at: { format: 'date-time' }, n: { type: 'integer' } },
  ],
  [
    'recursive',
    z.object({
      name: z.string(),
      get kids() {
        return z.array(z.object({ name: z.string() }));
      },
    }),
    { name: {}, kids: {} },
  ],
])('an own tool whose input is %s is pinned as an object', (_what, input, properties) => {
  const [tool] = formed(pin(agentWith(input), undefined)).tools;
  expect(tool?.input_schema).toMatchObject({ type: 'object', properties });
  expect(Object.keys(tool?.input_schema ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/Of$/)]),
  );
});

test('a valid tool is pinned as zod describes it, byte for byte', () => {
  const input = z.object({
    id: z.string().min(1).describe('Id of the order.'),
    kind: z.enum(['a', 'b']).optional(),
    tags: z.array(z.object({ name: z.string(), weight: z.number().default(1) })),
    more: z.record(z.string(), z.unknown()).nullable(),
  });
  const pinned = pin(agentWith(input), undefined);
  expect(formed(pinned)).toBe(pinned);
  const [tool] = pinned.tools;
  const said = z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' });
  expect(JSON.stringify(tool?.input_schema)).toBe(JSON.stringify(said));
  expect(tool).toEqual({ name: 't', description: 'd', input_schema: said });
});
