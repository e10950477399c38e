import { isObject, type Json, type JsonObject } from './json.ts';

/** Keywords whose value is a schema. */
const ONE = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
] as const;
/** Keywords whose value is a list of schemas. */
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
/** Keywords whose value has schemas by name. */
const MAP = ['properties', 'patternProperties', 'dependentSchemas', '$defs'] as const;

export const isOne = (keyword: string): boolean => ONE.some((one) => one === keyword);
export const isList = (keyword: string): boolean => LIST.some((one) => one === keyword);
export const isMap = (keyword: string): boolean => MAP.some((one) => one === keyword);

/**
 * Keywords that may be `true` or `false` for every model server that was examined. Elsewhere only some servers accept a boolean
 * schema.
 */
export const mayBeBoolean = (keyword: string): boolean =>
  ['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'].includes(keyword);

/** The types of JSON Schema, and what servers write instead of them (Kuadrant/mcp-gateway#689: `int`). */
const types: Readonly<Record<string, string>> = {
  ...{ object: 'object', array: 'array', string: 'string', number: 'number', integer: 'integer' },
  ...{ boolean: 'boolean', null: 'null' },
  ...{ dict: 'object', map: 'object', list: 'array', tuple: 'array', set: 'array' },
  ...{ str: 'string', text: 'string', int: 'integer', int32: 'integer', int64: 'integer', long: 'integer' },
  ...{ float: 'number', double: 'number', decimal: 'number', bool: 'boolean', none: 'null' },
};

/** The type that a word means, in any case; undefined if it means none. */
export function typeNamed(word: Json | undefined): string | undefined {
  if (typeof word !== 'string') return undefined;
  const name = word.toLowerCase();
  return Object.hasOwn(types, name) ? types[name] : undefined;
}

const text = (value: Json) => typeof value === 'string';
const flag = (value: Json) => typeof value === 'boolean';
const number = (value: Json) => typeof value === 'number';
const count = (value: Json) => Number.isInteger(value) && Number(value) >= 0;
const any = () => true;

/** Keywords with a value of their own, and a check of the value's kind. */
const valued: Readonly<Record<string, (value: Json) => boolean>> = {
  ...{ title: text, description: text, format: text, $comment: text, pattern: isPattern },
  ...{ contentEncoding: text, contentMediaType: text },
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count },
  ...{ minProperties: count, maxProperties: count, minContains: count, maxContains: count },
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
  multipleOf: (value) => typeof value === 'number' && value > 0,
  ...{ uniqueItems: flag, deprecated: flag, readOnly: flag, writeOnly: flag },
  ...{ const: any, default: any, examples: Array.isArray },
};

/** Characters of a pattern that is kept. */
const MAX_PATTERN = 2_000;

/** A regular expression, as in JSON Schema. It is compiled, and never run here. */
export function isPattern(value: Json): value is string {
  if (typeof value !== 'string' || value.length > MAX_PATTERN) return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Whether a keyword's value is of the keyword's kind. Other names may have any value. */
export const isOfKind = (keyword: string, value: Json): boolean =>
  Object.hasOwn(valued, keyword) ? (valued[keyword]?.(value) ?? true) : true;

/**
 * Keywords that are left out: those of older drafts and of OpenAPI, whose meaning `mend.ts` expresses otherwise, and those that
 * give a schema another name. Validators that remember schemas by `$id` refuse two tools with the same one.
 */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  ...[
    'id',
    '$id',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$recursiveRef',
    '$recursiveAnchor',
    '$vocabulary',
  ],
  ...['definitions', 'dependencies', 'additionalItems', 'nullable'],
]);

/** The schema with its inner schemas mapped. It must be mended, so nothing in it is of a wrong kind. */
export function mapSchemas(schema: JsonObject, map: (inner: JsonObject) => JsonObject): JsonObject {
  const one = (inner: Json): Json => (isObject(inner) ? map(inner) : inner);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (isOne(keyword)) return [keyword, one(value)];
    if (isList(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
    if (isMap(keyword) && isObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]))];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}
