import { defined } from '../../plain/defined.ts';
import { counter, isObject, type Json, type JsonObject, same } from './json.ts';
import { isList, isMap, isOfKind, isOne, isPattern, LEFT_OUT, mayBeBoolean, typeNamed } from './keywords.ts';
import { withoutLoops } from './loops.ts';
import { type References, referencesIn } from './references.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
/** Levels of JSON at which a schema ends: everything below is allowed. */
const MAX_SCHEMA_LEVEL = 80;

/**
 * The schema in JSON Schema 2020-12, with a valid value for every keyword. Words of older drafts and of OpenAPI are translated, a
 * mistake with only one possible meaning is corrected, and a meaningless value is left out. References lead to `#` or to
 * `#/$defs/…`. A valid schema stays the same, byte for byte. Pure, and bounded in work.
 *
 * @throws Unusable if it is too large
 */
export function mend(given: JsonObject): JsonObject {
  const references = referencesIn(given);
  const work: Work = { references, count: counter(), loosened: 0 };
  const root = mendObject(given, 0, work);
  const moved: [string, JsonObject][] = [];
  // A schema that is moved may refer to others that must be moved.
  for (let next = references.next(); next; next = references.next())
    moved.push([next.name, schemaOf(next.schema, 2, work)]);
  const whole =
    moved.length === 0 ? root : { ...root, $defs: { ...defsOf(root), ...Object.fromEntries(moved) } };
  return withoutLoops(whole);
}

interface Work {
  readonly references: References;
  readonly count: () => void;
  /** How often something was left out that restricted values. */
  loosened: number;
}

export const defsOf = ({ $defs }: JsonObject): JsonObject => (isObject($defs) ? $defs : {});

/** A schema at any place where one may stand. */
function schemaOf(value: Json, level: number, work: Work): JsonObject {
  work.count();
  if (value === false) return { not: {} };
  if (level > MAX_SCHEMA_LEVEL) return loosened({}, work);
  if (isObject(value)) return mendObject(value, level, work);
  const type = typeNamed(value);
  return type ? { type } : {};
}

function mendObject(schema: JsonObject, level: number, work: Work): JsonObject {
  const entries = Object.entries(inWordsOfToday(schema)).flatMap(([keyword, value]): [string, Json][] => {
    if (LEFT_OUT.has(keyword)) return [];
    const before = work.loosened;
    const mended = mendedValue(keyword, value, level, work);
    if (mended === undefined) {
      work.loosened += 1;
      return [];
    }
    if (work.loosened === before) return [[keyword, mended]];
    // Allowing more inside would allow less here.
    if (keyword === 'not' || keyword === 'if') return [];
    if (keyword === 'oneOf') return schema.anyOf === undefined ? [['anyOf', mended]] : [];
    return [[keyword, mended]];
  });
  return fitting(Object.fromEntries(entries));
}

function loosened<T>(value: T, work: Work): T {
  work.loosened += 1;
  return value;
}

/** The value of a keyword; undefined if the keyword is left out. */
function mendedValue(keyword: string, value: Json, level: number, work: Work): Json | undefined {
  if (isOne(keyword)) {
    if (typeof value === 'boolean' && mayBeBoolean(keyword)) return value;
    return value === false || value === true || isObject(value)
      ? schemaOf(value, level + 1, work)
      : undefined;
  }
  if (isList(keyword)) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return value.map((inner: Json) => schemaOf(inner, level + 2, work));
  }
  switch (keyword) {
    case '$schema':
      return level === 0 && value === DRAFT ? value : undefined;
    case '$defs':
      return level === 0 ? work.references.kept(value, (inner) => schemaOf(inner, 2, work)) : undefined;
    case '$ref':
      return work.references.leadsTo(value);
    case 'type':
      return typeOf(value);
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? unique(value) : undefined;
    case 'required':
      return namesIn(value);
    case 'dependentRequired':
      return isObject(value) ? mapValues(value, namesIn) : undefined;
    default:
  }
  if (isMap(keyword)) {
    if (!isObject(value)) return keyword === 'properties' ? {} : undefined;
    const known = keyword === 'patternProperties' ? onlyPatterns(value) : value;
    if (Object.keys(known).length < Object.keys(value).length) work.loosened += 1;
    return mapValues(known, (inner) => schemaOf(inner, level + 2, work));
  }
  return isOfKind(keyword, value) ? value : undefined;
}

function typeOf(value: Json): Json | undefined {
  if (!Array.isArray(value)) return typeNamed(value);
  const named = unique(value.flatMap((word: Json) => typeNamed(word) ?? []));
  return named.length > 1 || same(named, value) ? unlessEmpty(named) : named[0];
}

const namesIn = (value: Json): Json | undefined =>
  Array.isArray(value) ? unique(value.filter((name: Json) => typeof name === 'string')) : undefined;

const onlyPatterns = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([pattern]) => isPattern(pattern)));

const unlessEmpty = (list: readonly Json[]): Json | undefined => (list.length === 0 ? undefined : list);

/** Without duplicates, compared by their JSON. */
function unique(list: readonly Json[]): readonly Json[] {
  const seen = new Set<string>();
  return list.filter((one) => {
    const text = JSON.stringify(one);
    return !seen.has(text) && seen.add(text);
  });
}

const mapValues = (of: JsonObject, map: (value: Json) => Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(of).flatMap(([key, value]): [string, Json][] => {
      const mapped = map(value);
      return mapped === undefined ? [] : [[key, mapped]];
    }),
  );

/** Translates words of older drafts. Each case was seen at a public server. */
function inWordsOfToday(given: JsonObject): JsonObject {
  let schema = given;
  const put = (more: JsonObject) => {
    schema = { ...schema, ...more };
  };
  const drop = (...keywords: string[]) => {
    schema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
  };
  // Draft-04 (Dokploy/mcp#74).
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    const limit = schema[bound];
    const isExclusive = schema[exclusive];
    drop(exclusive, ...(isExclusive ? [bound] : []));
    if (isExclusive && typeof limit === 'number') put({ [exclusive]: limit });
  }
  // Draft-07 and before: a tuple is an array of `items`.
  if (Array.isArray(schema.items)) {
    const { items, additionalItems: rest } = schema;
    drop('items', 'additionalItems');
    put({ ...(items.length > 0 && { prefixItems: items }), ...defined({ items: rest }) });
  }
  // Moonshot accepts no boolean here (surrealdb/surrealdb#7442).
  if (schema.items === false) {
    const most = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
    drop('items');
    put({ maxItems: typeof schema.maxItems === 'number' ? Math.min(schema.maxItems, most) : most });
  }
  if (isObject(schema.dependencies)) {
    const entries = Object.entries(schema.dependencies);
    const names = entries.filter(([, value]) => Array.isArray(value));
    const schemas = entries.filter(([, value]) => !Array.isArray(value));
    if (names.length > 0 && !schema.dependentRequired) put({ dependentRequired: Object.fromEntries(names) });
    if (schemas.length > 0 && !schema.dependentSchemas)
      put({ dependentSchemas: Object.fromEntries(schemas) });
  }
  return isObject(schema.properties) ? withRequired(schema, schema.properties) : schema;
}

/**
 * `required` in the form of draft-03, `true` on a property; or placed among the properties, one level too deep
 * (mastra-ai/mastra#23731).
 */
function withRequired(schema: JsonObject, properties: JsonObject): JsonObject {
  const { required: inside } = properties;
  const strays = Array.isArray(inside) ? inside : [];
  const marked = Object.entries(properties).flatMap(([name, one]) =>
    isObject(one) && one.required === true ? [name] : [],
  );
  if (strays.length === 0 && marked.length === 0) return schema;
  const kept = Object.entries(properties).filter(([name]) => name !== 'required' || strays.length === 0);
  const given = Array.isArray(schema.required) ? schema.required : [];
  return { ...schema, properties: Object.fromEntries(kept), required: [...given, ...strays, ...marked] };
}

/**
 * Removes values of `enum` that its own type excludes (can1357/oh-my-pi#2652). If the type excludes all of them, they stay: they
 * were meant for something else.
 */
function fitting(schema: JsonObject): JsonObject {
  const { type, enum: values, ...rest } = schema;
  if (type === undefined || !Array.isArray(values)) return schema;
  const fit = values.filter((value: Json) => isOfType(value, [type].flat() as Json[]));
  if (fit.length === values.length) return schema;
  return fit.length === 0 ? { type, ...rest } : { ...schema, enum: fit };
}

function isOfType(value: Json, types: readonly Json[]): boolean {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.some((one) => one === type || (one === 'integer' && Number.isInteger(value)));
}
