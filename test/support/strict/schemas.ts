/** Faults of JSON schemas that servers check for, and their places. */

import { type Fields, firstOf, isFields } from './rule.ts';

/** Keywords that make a union or an intersection. */
export const combinators = ['oneOf', 'allOf', 'anyOf'] as const;

/** Keywords whose values are schemas, lists of schemas, and objects of schemas. */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['prefixItems', ...combinators];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** A schema within a schema, and its path as keys. */
export interface Nested {
  readonly schema: Fields;
  readonly path: readonly string[];
}

/** A schema and every schema in it, outermost first. */
export function* nestedIn(schema: unknown, path: readonly string[] = []): Generator<Nested> {
  if (!isFields(schema)) return;
  yield { schema, path };
  for (const key of ONE) yield* nestedIn(schema[key], [...path, key]);
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list))
      for (const [at, one] of list.entries()) yield* nestedIn(one, [...path, key, String(at)]);
  }
  for (const key of MAPS) {
    const map = schema[key];
    if (isFields(map))
      for (const [name, one] of Object.entries(map)) yield* nestedIn(one, [...path, key, name]);
  }
}

/** The first schema, outermost first, for which `find` returns something. */
export function inSchema<R>(schema: unknown, find: (nested: Nested) => R | undefined): R | undefined {
  for (const nested of nestedIn(schema)) {
    const found = find(nested);
    if (found !== undefined) return found;
  }
  return undefined;
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const isSchema = (value: unknown): boolean => isFields(value) || typeof value === 'boolean';
const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The values that each keyword may have in draft 2020-12, as far as odd tools in public reports break it. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => [value].flat().every((one) => TYPES.has(String(one))),
  properties: (value) => isFields(value) && Object.values(value).every(isSchema),
  required: isStrings,
  enum: Array.isArray,
  items: isSchema,
  prefixItems: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  anyOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  oneOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  allOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  exclusiveMinimum: (value) => typeof value === 'number',
  exclusiveMaximum: (value) => typeof value === 'number',
  minimum: (value) => typeof value === 'number',
  maximum: (value) => typeof value === 'number',
  pattern: (value) => typeof value === 'string',
  additionalProperties: isSchema,
};

/** Whether a schema breaks draft 2020-12, for example with a tuple in `items` or a boolean `exclusiveMinimum`. */
export const breaksDraft2020 = (schema: unknown): boolean =>
  inSchema(schema, ({ schema: one }) =>
    firstOf(Object.entries(KEYWORDS), ([key, fits]) => (key in one && !fits(one[key]) ? true : undefined)),
  ) ?? false;
