import { own } from '../../plain/merge.ts';
import { combinationsOf } from './combinations.ts';
import { counter, isObject, type Json, type JsonObject, same, Unusable } from './json.ts';
import { defsOf } from './mend.ts';
import type { Choice, Part } from './part.ts';

/** Keywords that no server accepts at the root (`anyOf`, `oneOf`, `allOf`), or not every one. */
const NOT_AT_ROOT = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const', 'unevaluatedProperties'];
/** Schemas that are examined to fold one. */
const MAX_FOLDED = 5_000;

/**
 * A mended schema as one object with properties, without a combinator at its root: OpenAI and Anthropic refuse a whole request
 * because of one. Properties that all branches of a choice require are required, and so are those of any branch of `allOf`.
 * `note` says which combinations are asked for.
 *
 * @throws Unusable if the schema takes no object: the arguments of a call are one
 */
export function fold(root: JsonObject): { readonly schema: JsonObject; readonly note?: string } {
  const choices: Choice[] = [];
  const part = partsOf(root, choices)(root);
  if (!part) throw new Unusable('takes no object as its input');
  const isFolded = NOT_AT_ROOT.some((keyword) => keyword in root);
  const properties = withRequired(part, choices);
  const required = [...part.required].filter((name) => properties.has(name));
  const folded = {
    properties: Object.fromEntries(properties),
    ...(required.length > 0 || isEmptyList(root.required) ? { required } : {}),
    ...(isFolded && part.isClosed && { additionalProperties: false }),
  };
  const kept = Object.entries(root).filter(
    ([keyword]) => !NOT_AT_ROOT.includes(keyword) && (keyword !== 'required' || 'required' in folded),
  );
  const { type } = root;
  const base = { ...(type === undefined && { type: 'object' }), ...Object.fromEntries(kept) };
  const schema = { ...base, type: 'object', ...folded };
  const note = combinationsOf(choices);
  return note === undefined ? { schema } : { schema, note };
}

const isEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0;

/**
 * Declares properties that are required somewhere and declared nowhere: the model would not know of them, and Gemini refuses the
 * whole request.
 */
function withRequired(
  { properties, required, isClosed }: Part,
  choices: readonly Choice[],
): Map<string, JsonObject> {
  const all = new Map(properties);
  const branches = choices.flatMap(({ parts }) => parts.flatMap((part) => [...part.required]));
  for (const name of [...required, ...branches]) if (!isClosed && !all.has(name)) all.set(name, {});
  return all;
}

const NOTHING: Part = { properties: new Map(), required: new Set(), isClosed: false };

/** Reads parts, each definition once, however often it is referred to. `choices` receives those of the root. */
function partsOf(root: JsonObject, choices: Choice[]): (schema: JsonObject) => Part | undefined {
  const defs = defsOf(root);
  const read = new Map<string, Part | undefined>();
  const count = counter(MAX_FOLDED);

  const ofRef = (ref: string): Part | undefined => {
    if (!read.has(ref)) {
      read.set(ref, NOTHING);
      const target = own(defs, ref.slice('#/$defs/'.length));
      read.set(ref, isObject(target) ? partOf(target) : NOTHING);
    }
    return read.get(ref);
  };
  const partOf = (schema: JsonObject): Part | undefined => {
    count();
    if (!takesObjects(schema)) return undefined;
    const all: (Part | undefined)[] = [ownPart(schema)];
    if (typeof schema.$ref === 'string') all.push(ofRef(schema.$ref));
    if (Array.isArray(schema.allOf)) all.push(...schema.allOf.filter(isObject).map(partOf));
    for (const how of ['anyOf', 'oneOf'] as const) {
      const members: unknown = schema[how];
      if (!Array.isArray(members)) continue;
      const parts = members.filter(isObject).flatMap((member) => partOf(member) ?? []);
      choices.push({ how, parts });
      all.push(parts.length > 0 ? either(parts) : undefined);
    }
    return all.includes(undefined) ? undefined : both(all as Part[]);
  };
  return partOf;
}

function takesObjects({ type, const: only, enum: values }: JsonObject): boolean {
  if (only !== undefined && !isObject(only)) return false;
  if (Array.isArray(values) && !values.some(isObject)) return false;
  return type === undefined || [type].flat().some((one) => one === 'object');
}

function ownPart({ properties, required, additionalProperties, patternProperties }: JsonObject): Part {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const names = Array.isArray(required) ? required.map(String) : [];
  return {
    properties: new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]))),
    required: new Set(names),
    isClosed: additionalProperties === false && patternProperties === undefined,
  };
}

/** Accepts a value that all of them accept. */
function both(parts: readonly Part[]): Part {
  const [first, ...others] = parts;
  if (first && others.length === 0) return first;
  return {
    properties: merged(parts, allOf),
    required: new Set(parts.flatMap(({ required }) => [...required])),
    isClosed: parts.some(({ isClosed }) => isClosed),
  };
}

/** Accepts a value that one of them accepts. */
function either(parts: readonly Part[]): Part {
  const [first = NOTHING] = parts;
  const required = [...first.required].filter((name) => parts.every((part) => part.required.has(name)));
  return {
    properties: merged(parts, anyOf),
    required: new Set(required),
    isClosed: parts.every(({ isClosed }) => isClosed),
  };
}

type Join = (schemas: readonly JsonObject[]) => JsonObject;

function merged(parts: readonly Part[], join: Join): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject[]>();
  for (const { properties } of parts)
    for (const [name, schema] of properties) {
      const known = found.get(name) ?? [];
      if (!known.some((one) => same(one, schema))) known.push(schema);
      found.set(name, known);
    }
  return new Map([...found].map(([name, schemas]) => [name, join(schemas)]));
}

const isAny = (schema: JsonObject): boolean => Object.keys(schema).length === 0;

function allOf(schemas: readonly JsonObject[]): JsonObject {
  const telling = schemas.filter((schema) => !isAny(schema));
  const [only = {}, ...others] = telling;
  return others.length === 0 ? only : { allOf: telling };
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const [only = {}, ...others] = schemas;
  if (others.length === 0) return only;
  if (schemas.some(isAny)) return {};
  return asEnum(schemas) ?? { anyOf: schemas };
}

/** The tags of a discriminated union become one list of values. */
function asEnum(schemas: readonly JsonObject[]): JsonObject | undefined {
  const values = schemas.flatMap(({ const: only, enum: several, type: _, ...more }): Json[] | [undefined] => {
    if (Object.keys(more).length > 0) return [undefined];
    if (only !== undefined) return [only];
    return Array.isArray(several) ? (several as Json[]) : [undefined];
  });
  if (values.includes(undefined as never)) return undefined;
  const [type, ...others] = new Set(schemas.map((schema) => JSON.stringify(schema.type)));
  const isOne = type !== undefined && others.length === 0;
  return { ...(isOne && { type: JSON.parse(type) as Json }), enum: values as Json[] };
}
